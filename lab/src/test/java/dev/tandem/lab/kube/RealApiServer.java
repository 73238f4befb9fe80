package dev.tandem.lab.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.host.Commands;
import dev.tandem.host.Deadline;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.pki.TlsIdentity;
import dev.tandem.host.testing.LoopbackPorts;
import dev.tandem.lab.ImageEtcd;
import dev.tandem.lab.image.ProgressListener;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** An etcd and a kube-apiserver of this machine, on loopback, over mutual TLS. */
final class RealApiServer implements AutoCloseable {
    /** It takes four seconds; with eight builds beside it on two cores, forty. */
    private static final Duration START = Duration.ofMinutes(3);

    private static final Duration ANSWER = Duration.ofSeconds(30);
    private static final Duration VALIDITY = Duration.ofDays(1);
    private static final String LOOPBACK = "127.0.0.1";

    /**
     * Runs a program with a /tmp of its own, in which only the given directory is the host's.
     * Hollow kubelets keep state and sockets below /tmp, wherever they are told to, and leave them.
     */
    private static final String WITH_OWN_TMP =
            """
            exec 3< "$1"
            mount -t tmpfs tmp /tmp
            mkdir -p "$1"
            mount --no-canonicalize --bind /proc/self/fd/3 "$1"
            shift
            exec "$@" 3<&-
            """;

    private final Path directory;
    private final Path bin;
    private final SequencedMap<String, Process> processes = new LinkedHashMap<>();
    private final Map<String, JsonNode> discovered = new HashMap<>();
    private final String etcd;
    private final String server;
    private final HttpClient client;
    private final CertificateAuthority authority;
    private final Kubeconfigs kubeconfigs;

    /** What the server said to a request. */
    record Answer(int code, JsonNode body) {
        boolean accepted() {
            return code >= 200 && code < 300;
        }

        String message() {
            return body.path("message").asText();
        }

        String resourceVersion() {
            return body.path("metadata").path("resourceVersion").asText();
        }
    }

    static RealApiServer start(Path directory) throws IOException, InterruptedException {
        RealApiServer started = new RealApiServer(directory);
        try {
            started.run();
            return started;
        } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
            started.close();
            throw e;
        }
    }

    private RealApiServer(Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        this.bin =
                KubePrograms.ofHost()
                        .ensure(
                                Optional.ofNullable(System.getProperty("kube.programs"))
                                        .map(Path::of),
                                ProgressListener.SILENT);
        this.etcd = "https://" + LOOPBACK + ":" + LoopbackPorts.next();
        this.server = "https://" + LOOPBACK + ":" + LoopbackPorts.next();
        this.kubeconfigs = new Kubeconfigs(directory, server);
        this.authority =
                CertificateAuthority.create("lab", Duration.ofDays(2), InstantSource.system());
        Pem.writeCertificates(directory.resolve("ca.crt"), List.of(authority.certificate()));
        List<String> names = List.of(LOOPBACK, "localhost");
        write("etcd", authority.issue(LeafProfile.serverAndClient("etcd", names, VALIDITY)));
        write("server", authority.issue(LeafProfile.server("kube-apiserver", names, VALIDITY)));
        write("etcd-client", authority.issue(LeafProfile.client("kube-apiserver", VALIDITY)));
        write("tokens", authority.issue(LeafProfile.client("tokens", VALIDITY)));
        TlsIdentity admin =
                authority.issue(
                        new LeafProfile(
                                "admin",
                                List.of("system:masters"),
                                Set.of(LeafProfile.Usage.CLIENT),
                                List.of(),
                                VALIDITY));
        write("admin", admin);
        this.client =
                HttpClient.newBuilder()
                        .sslContext(
                                Tls.client(List.of(authority.certificate()), Optional.of(admin)))
                        .connectTimeout(ANSWER)
                        .version(HttpClient.Version.HTTP_1_1)
                        .build();
    }

    private void write(String name, TlsIdentity identity) {
        Pem.writeIdentity(file(name + ".crt"), file(name + ".key"), identity);
    }

    private void run() throws IOException, InterruptedException {
        String peer = "https://" + LOOPBACK + ":" + LoopbackPorts.next();
        start(
                "etcd",
                ImageEtcd.program(),
                "--name=one",
                "--data-dir=" + file("data"),
                "--listen-client-urls=" + etcd,
                "--advertise-client-urls=" + etcd,
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=one=" + peer,
                "--client-cert-auth",
                "--trusted-ca-file=" + file("ca.crt"),
                "--cert-file=" + file("etcd.crt"),
                "--key-file=" + file("etcd.key"),
                "--peer-client-cert-auth",
                "--peer-trusted-ca-file=" + file("ca.crt"),
                "--peer-cert-file=" + file("etcd.crt"),
                "--peer-key-file=" + file("etcd.key"));
        start(
                "kube-apiserver",
                bin.resolve("kube-apiserver"),
                "--etcd-servers=" + etcd,
                "--etcd-cafile=" + file("ca.crt"),
                "--etcd-certfile=" + file("etcd-client.crt"),
                "--etcd-keyfile=" + file("etcd-client.key"),
                "--bind-address=" + LOOPBACK,
                "--secure-port=" + URI.create(server).getPort(),
                "--tls-cert-file=" + file("server.crt"),
                "--tls-private-key-file=" + file("server.key"),
                "--client-ca-file=" + file("ca.crt"),
                "--authorization-mode=RBAC",
                "--anonymous-auth=false",
                "--service-cluster-ip-range=10.96.0.0/16",
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-account-key-file=" + file("tokens.crt"),
                "--service-account-signing-key-file=" + file("tokens.key"),
                // Nobody asks for an endpoint here, and one on loopback is not allowed.
                "--endpoint-reconciler-type=none",
                "--advertise-address=192.0.2.1");
        await("kube-apiserver is ready", START, this::ready);
    }

    /** Starts another program of the release beside the API server, as its administrator. */
    void startBeside(String name, String program, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.add("--kubeconfig=" + kubeconfigs.of("admin"));
        start(name, bin.resolve(program), all.toArray(String[]::new));
    }

    /** A kubelet of a node without containers. */
    void startHollowNode(String name) throws IOException {
        start(
                name,
                Path.of("unshare"),
                "--mount",
                "sh",
                "-ec",
                WITH_OWN_TMP,
                "sh",
                directory.toString(),
                bin.resolve("kubemark").toString(),
                "--morph=kubelet",
                "--name=" + name,
                "--kubelet-port=" + LoopbackPorts.next(),
                "--kubelet-read-only-port=0",
                "--node-labels=kubernetes.io/hostname=" + name,
                "--use-host-image-service=false",
                "--kubeconfig=" + kubeconfigs.of("admin"));
    }

    /** Runs kubectl to its end and returns what it printed. */
    String kubectl(String stdin, String... arguments) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                bin.resolve("kubectl").toString(),
                                "--kubeconfig=" + kubeconfigs.of("admin"),
                                "--cache-dir=" + file("kubectl")));
        command.addAll(Arrays.asList(arguments));
        Commands.Output output = new SystemCommands().run(ANSWER, command, stdin);
        assertThat(output.exitCode()).as("%s: %s", command, output.err()).isZero();
        return output.out();
    }

    /** Access for a user of that name, who has the rights that somebody gives it. */
    Path kubeconfigOf(String user) {
        // A user has one identity: whoever reads its files gets a key and the certificate of it.
        if (!Files.exists(file(user + ".crt"))) {
            write(user, authority.issue(LeafProfile.client(user, VALIDITY)));
        }
        return kubeconfigs.of(user);
    }

    Path file(String name) {
        return directory.resolve(name);
    }

    private void start(String name, Path program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(Arrays.asList(arguments));
        processes.put(
                name,
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(file(name + ".log").toFile())
                        .start());
    }

    /** Stops a program where it stands, or lets it go on. */
    void signal(String name, String signal) {
        Process process = Objects.requireNonNull(processes.get(name));
        Commands.Output output =
                new SystemCommands()
                        .run(ANSWER, List.of("kill", "-" + signal, String.valueOf(process.pid())));
        assertThat(output.exitCode()).as(output.err()).isZero();
    }

    /** Fails if one of the programs has ended. */
    void allRun() {
        processes.forEach((name, process) ->
                assertThat(process.isAlive()).as("%s runs%n%s", name, logs()).isTrue());
    }

    private boolean ready() {
        allRun();
        try {
            return send("GET", server + "/readyz", "").code() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private String logs() {
        StringBuilder all = new StringBuilder();
        for (String name : processes.keySet()) {
            try {
                List<String> lines = Files.readAllLines(file(name + ".log"));
                lines.subList(Math.max(0, lines.size() - 20), lines.size())
                        .forEach(line -> all.append(line).append('\n'));
            } catch (IOException e) {
                all.append(name).append(" left no log\n");
            }
        }
        return all.toString();
    }

    /** Looks again and again until it holds; fails at the limit. */
    void await(String what, Duration limit, BooleanSupplier holds) throws InterruptedException {
        Deadline deadline = Deadline.in(limit);
        while (!holds.getAsBoolean()) {
            assertThat(deadline.passed()).as("%s within %s%n%s", what, limit, logs()).isFalse();
            deadline.pause(Duration.ofMillis(50));
        }
    }

    private Answer send(String method, String address, String body) throws IOException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(address))
                        .timeout(ANSWER)
                        .header("Content-Type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build();
        LabKubeApi.Answer answer = LabKubeApi.send(client, request);
        return new Answer(answer.code(), answer.body());
    }

    /** Creates the object or replaces it, and then its status, if it comes with one. */
    Answer write(ObjectNode object) throws IOException {
        Answer main = writeMain(object, "");
        return main.accepted() && object.has("status") ? writeStatus(object, "") : main;
    }

    /**
     * Asks what a write would do. Objects that come with a status are really created first, as
     * there is no status of nothing; the status itself is not kept.
     */
    Answer tryOut(ObjectNode object) throws IOException {
        String dryRun = "?dryRun=All";
        if (!object.has("status")) {
            return writeMain(object, dryRun);
        }
        Answer main = writeMain(object, "");
        return main.accepted() ? writeStatus(object, dryRun) : main;
    }

    Answer tryToDelete(ObjectNode object) throws IOException {
        return send("DELETE", address(object) + "?dryRun=All", "");
    }

    private Answer writeMain(ObjectNode object, String options) throws IOException {
        String address = address(object);
        Answer before = send("GET", address, "");
        if (before.code() == 404) {
            String collection = address.substring(0, address.lastIndexOf('/'));
            return send("POST", collection + options, object.toString());
        }
        return send("PUT", address + options, at(before, object).toString());
    }

    private Answer writeStatus(ObjectNode object, String options) throws IOException {
        String address = address(object);
        ObjectNode body = at(send("GET", address, ""), object);
        if (body.get("status").isNull()) {
            body.remove("status");
        }
        return send("PUT", address + "/status" + options, body.toString());
    }

    private static ObjectNode at(Answer before, ObjectNode object) {
        ObjectNode body = object.deepCopy();
        ((ObjectNode) body.get("metadata")).put("resourceVersion", before.resourceVersion());
        return body;
    }

    private String address(ObjectNode object) throws IOException {
        JsonNode resource = resource(object);
        return server
                + groupPath(object)
                + namespacePart(object, resource, "/namespaces/")
                + "/"
                + resource.get("name").asText()
                + "/"
                + name(object);
    }

    private static String groupPath(ObjectNode object) {
        String apiVersion = object.get("apiVersion").asText();
        return (apiVersion.contains("/") ? "/apis/" : "/api/") + apiVersion;
    }

    private static String namespacePart(ObjectNode object, JsonNode resource, String prefix) {
        return resource.get("namespaced").asBoolean()
                ? prefix + object.path("metadata").path("namespace").asText("default")
                : "";
    }

    private static String name(ObjectNode object) {
        return object.get("metadata").get("name").asText();
    }

    /** What the server calls this kind. */
    private JsonNode resource(ObjectNode object) throws IOException {
        String key = groupPath(object) + " " + object.get("kind").asText();
        JsonNode known = discovered.get(key);
        if (known != null) {
            return known;
        }
        Answer answer = send("GET", server + groupPath(object), "");
        for (JsonNode resource : answer.body().path("resources")) {
            if (resource.get("kind").equals(object.get("kind"))
                    && !resource.get("name").asText().contains("/")) {
                discovered.put(key, resource);
                return resource;
            }
        }
        throw new IllegalStateException(key + " is not served: " + answer);
    }

    /** Whether objects of this definition can be written in that version of it. */
    boolean serves(ObjectNode definition, String version) {
        String names = definition.at("/spec/group").asText() + "/" + version;
        try {
            for (JsonNode resource :
                    send("GET", server + "/apis/" + names, "").body().path("resources")) {
                if (resource.get("kind").equals(definition.at("/spec/names/kind"))) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            return false;
        }
    }

    /** Removes an object behind the server's back: policies have no say in tidying up. */
    void forget(ObjectNode object) throws IOException {
        JsonNode resource = resource(object);
        String apiVersion = object.get("apiVersion").asText();
        String group =
                apiVersion.contains("/")
                        ? "/" + apiVersion.substring(0, apiVersion.indexOf('/'))
                        : "";
        String key =
                "/registry"
                        + group
                        + "/"
                        + resource.get("name").asText()
                        + namespacePart(object, resource, "/")
                        + "/"
                        + name(object);
        String encoded = Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8));
        Answer answer = send("POST", etcd + "/v3/kv/deleterange", "{\"key\":\"" + encoded + "\"}");
        assertThat(answer.accepted()).as("etcd forgets %s: %s", key, answer).isTrue();
    }

    /** Runs a program of the release and returns what it printed. */
    String version(String program) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(bin.resolve(program).toString(), "--version")
                        .redirectErrorStream(true)
                        .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return out.strip();
    }

    @Override
    public void close() {
        // The API server first: it would complain about an etcd that went away.
        for (Process process : processes.reversed().values()) {
            process.destroy();
            try {
                if (!process.waitFor(20, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
