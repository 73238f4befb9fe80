package dev.tandem.lab.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.host.BoundedHttp;
import dev.tandem.host.Commands;
import dev.tandem.host.Deadline;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.Tls;
import dev.tandem.lab.image.BuildLock;
import dev.tandem.lab.image.ProgressListener;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A real Vault in memory, compiled once from its published module and kept where the lab keeps
 * Kubernetes.
 */
final class RealVault implements AutoCloseable {
    private static final Duration DAY = Duration.ofDays(1);

    /** 1653 packages, against 2673 of Kubernetes, which take 796 s of one core. */
    private static final Duration COMPILED = Duration.ofMinutes(40);

    private static final Duration STARTED = Duration.ofSeconds(60);
    private static final Duration REQUEST = Duration.ofSeconds(10);
    private static final List<String> RECIPE = List.of("go.mod", "go.sum", "main.go");
    private static final ObjectMapper JSON = new ObjectMapper();

    final CertificateAuthority authority =
            CertificateAuthority.create("vault", DAY, InstantSource.system());
    private final Path directory;
    private final URI address;
    private final Process process;
    private final HttpClient http;

    private RealVault(Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        int port = RealApiServer.freePort();
        this.address = URI.create("https://127.0.0.1:" + port);
        Pem.writeIdentity(
                directory.resolve("server.crt"),
                directory.resolve("server.key"),
                authority.issue(LeafProfile.server("vault", List.of("127.0.0.1"), DAY)));
        Pem.writeCertificates(caFile(), List.of(authority.certificate()));
        this.http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .sslContext(
                                Tls.client(List.of(authority.certificate()), Optional.empty()))
                        .build();
        this.process =
                new ProcessBuilder(
                                program().toString(), directory.toString(), "127.0.0.1:" + port)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("log").toFile())
                        .start();
    }

    static RealVault start(Path directory) throws IOException, InterruptedException {
        RealVault vault = new RealVault(directory);
        Deadline end = Deadline.in(STARTED);
        while (!vault.answers()) {
            if (end.passed() || !vault.process.isAlive()) {
                vault.close();
                throw new IllegalStateException(
                        "Vault does not answer: " + Files.readString(directory.resolve("log")));
            }
            // It says nowhere that it listens.
            Thread.sleep(Duration.ofMillis(100));
        }
        return vault;
    }

    private boolean answers() throws InterruptedException {
        try {
            return Files.exists(directory.resolve("root-token"))
                    && send("GET", "sys/health", "", "").statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    URI address() {
        return address;
    }

    Path caFile() {
        return directory.resolve("ca.pem");
    }

    /** As root, and it has to succeed. */
    JsonNode root(String method, String path, String body)
            throws IOException, InterruptedException {
        HttpResponse<byte[]> response =
                send(method, path, body, Files.readString(directory.resolve("root-token")));
        if (response.statusCode() / 100 != 2) {
            throw new IllegalStateException(
                    "%s %s: %d %s"
                            .formatted(
                                    method,
                                    path,
                                    response.statusCode(),
                                    JSON.readTree(response.body())));
        }
        return JSON.readTree(response.body());
    }

    /** The status of an answer to root. */
    int status(String method, String path) throws IOException, InterruptedException {
        return send(method, path, "", Files.readString(directory.resolve("root-token")))
                .statusCode();
    }

    private HttpResponse<byte[]> send(String method, String path, String body, String token)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(address.resolve("/v1/" + path))
                        .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!token.isEmpty()) {
            request.header("X-Vault-Token", token);
        }
        return BoundedHttp.send(
                http, request.build(), HttpResponse.BodyHandlers.ofByteArray(), REQUEST);
    }

    private static Path program() throws IOException, InterruptedException {
        String cache = System.getenv().getOrDefault("XDG_CACHE_HOME", "");
        Path root =
                (cache.isEmpty()
                                ? Path.of(System.getenv().getOrDefault("HOME", "/root"), ".cache")
                                : Path.of(cache))
                        .resolve("tandem")
                        .resolve("vault");
        Path program = root.resolve("vault-" + key());
        if (Files.notExists(program)) {
            Files.createDirectories(root);
            try (BuildLock _ = BuildLock.take(root, "Vault", ProgressListener.SILENT)) {
                if (Files.notExists(program)) {
                    build(root, program);
                }
            }
        }
        return program;
    }

    private static void build(Path root, Path program) throws IOException {
        Path source = Files.createTempDirectory(root, "source");
        for (String part : RECIPE) {
            Files.write(source.resolve(part), recipe(part));
        }
        Path unfinished = source.resolve("vault");
        Commands.Output output =
                new SystemCommands()
                        .run(
                                COMPILED,
                                List.of(
                                        "env",
                                        "--chdir=" + source,
                                        "CGO_ENABLED=0",
                                        "GOTOOLCHAIN=local",
                                        "GOWORK=off",
                                        "GOFLAGS=-modcacherw",
                                        "nice",
                                        "-n",
                                        "10",
                                        GoTools.of(System.getenv())
                                                .program(ProgressListener.SILENT)
                                                .toString(),
                                        "build",
                                        "-mod=readonly",
                                        "-trimpath",
                                        "-buildvcs=false",
                                        "-ldflags=-s -w",
                                        "-o",
                                        unfinished.toString(),
                                        "."));
        if (!output.ok()) {
            throw new IllegalStateException("cannot compile Vault: " + output.err());
        }
        Files.move(unfinished, program, StandardCopyOption.ATOMIC_MOVE);
        for (String part : RECIPE) {
            Files.delete(source.resolve(part));
        }
        Files.delete(source);
    }

    private static String key() throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String part : RECIPE) {
                digest.update(recipe(part));
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static byte[] recipe(String part) throws IOException {
        try (InputStream in = RealVault.class.getResourceAsStream("vault/" + part)) {
            if (in == null) {
                throw new IllegalStateException("resource vault/" + part + " is missing");
            }
            return in.readAllBytes();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        http.shutdownNow();
    }
}
