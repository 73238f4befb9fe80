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
import dev.tandem.host.testing.LoopbackPorts;
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
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Two nodes of a real Vault with their storage in memory. The program is compiled once from Vault's
 * published modules and kept where the lab keeps Kubernetes.
 */
final class RealVault implements AutoCloseable {
    /** What the standby does with a request. */
    enum Standby {
        FORWARDS,
        REDIRECTS
    }

    /** The state of a node, as the status of sys/health. */
    private enum Health {
        ACTIVE(200),
        STANDBY(429),
        NOT_INITIALIZED(501),
        SEALED(503);

        private final int status;

        Health(int status) {
            this.status = status;
        }
    }

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration COMPILED = Duration.ofHours(2);

    /** It takes a second. */
    private static final Duration REACHED = Duration.ofMinutes(1);

    private static final Duration REQUEST = Duration.ofSeconds(30);
    private static final List<String> RECIPE = List.of("go.mod", "go.sum", "main.go");
    private static final ObjectMapper JSON = new ObjectMapper();

    final CertificateAuthority authority =
            CertificateAuthority.create("vault", DAY, InstantSource.system());
    private final Path directory;
    private final List<URI> nodes;
    private final Process process;
    private final HttpClient http;
    private String unsealKey = "";
    private String rootToken = "";

    private RealVault(Path directory, Standby standby) throws IOException, InterruptedException {
        this.directory = directory;
        Path program = program();
        List<String> command =
                new ArrayList<>(
                        List.of(
                                program.toString(),
                                directory.toString(),
                                standby == Standby.FORWARDS ? "forward" : "redirect"));
        this.nodes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            String address = "127.0.0.1:" + LoopbackPorts.next();
            command.add(address);
            nodes.add(URI.create("https://" + address));
        }
        Pem.writeIdentity(
                directory.resolve("server.crt"),
                directory.resolve("server.key"),
                authority.issue(LeafProfile.server("vault", List.of("127.0.0.1"), DAY)));
        Pem.writeCertificates(caFile(), List.of(authority.certificate()));
        this.http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .sslContext(Tls.client(List.of(authority.certificate()), Optional.empty()))
                        .build();
        this.process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("log").toFile())
                        .start();
    }

    /** As it is installed: not initialized. */
    static RealVault install(Path directory, Standby standby)
            throws IOException, InterruptedException {
        RealVault vault = new RealVault(directory, standby);
        try {
            vault.await(0, Health.NOT_INITIALIZED);
            vault.await(1, Health.NOT_INITIALIZED);
            return vault;
        } catch (IOException | InterruptedException | RuntimeException e) {
            vault.close();
            throw e;
        }
    }

    /** One key unseals it. */
    void initialize() throws IOException, InterruptedException {
        JsonNode made = root("PUT", "sys/init", "{\"secret_shares\": 1, \"secret_threshold\": 1}");
        unsealKey = made.path("keys").path(0).textValue();
        rootToken = made.path("root_token").textValue();
    }

    /** The first node before the second, which therefore stands by. */
    void unseal() throws IOException, InterruptedException {
        for (int node = 0; node < nodes.size(); node++) {
            send(node, "PUT", "sys/unseal", "{\"key\": \"%s\"}".formatted(unsealKey));
            await(node, node == 0 ? Health.ACTIVE : Health.STANDBY);
        }
    }

    /** Seals the first node, which is the active one. */
    void seal() throws IOException, InterruptedException {
        root("PUT", "sys/seal", "{}");
        await(0, Health.SEALED);
    }

    private void await(int node, Health health) throws IOException, InterruptedException {
        Deadline end = Deadline.in(REACHED);
        while (health(node) != health.status) {
            if (end.passed() || !process.isAlive()) {
                throw new IllegalStateException(
                        "no %s of node %d; it logged: %s"
                                .formatted(
                                        health, node, Files.readString(directory.resolve("log"))));
            }
            end.pause(Duration.ofMillis(50));
        }
    }

    private int health(int node) throws InterruptedException {
        try {
            return send(node, "GET", "sys/health", "").statusCode();
        } catch (IOException e) {
            // It does not listen yet.
            return 0;
        }
    }

    URI active() {
        return nodes.get(0);
    }

    URI standby() {
        return nodes.get(1);
    }

    Path caFile() {
        return directory.resolve("ca.pem");
    }

    /** As root, on the first node, and it has to succeed. */
    JsonNode root(String method, String path, String body)
            throws IOException, InterruptedException {
        HttpResponse<byte[]> response = send(0, method, path, body);
        JsonNode said = JSON.readTree(response.body());
        if (response.statusCode() / 100 != 2) {
            throw new IllegalStateException(
                    "%s %s: %d %s".formatted(method, path, response.statusCode(), said));
        }
        return said;
    }

    private HttpResponse<byte[]> send(int node, String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(nodes.get(node).resolve("/v1/" + path))
                        .header("X-Vault-Request", "true")
                        .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!rootToken.isEmpty()) {
            request.header("X-Vault-Token", rootToken);
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
        Path source = Files.createDirectories(root.resolve("source"));
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
        http.shutdownNow();
        process.destroyForcibly();
        try {
            var _ = process.waitFor(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
