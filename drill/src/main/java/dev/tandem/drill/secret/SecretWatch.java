package dev.tandem.drill.secret;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.host.NodePaths;
import dev.tandem.lab.daemon.LabBmc;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.Json;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * Looks during a scenario, and after it, for every secret that a pair has: passwords of BMCs, also
 * those that a scenario gives them, the tokens of sessions with them, the token of pcsd. (A pair of
 * a lab has no store of passwords, and hacluster no password.) Processes of the lab itself show
 * what they like: only those in the namespaces of the nodes are looked at.
 */
public final class SecretWatch implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(1);

    /** The files of the agent's that hold a token of a session, by how their names begin. */
    private static final String SESSIONS = NodePaths.RUN.resolve("bmc-session-").toString();

    private static final String PCSD_TOKEN = "pcsd-token";

    private final Pair pair;
    private final KnownSecrets secrets = new KnownSecrets();

    /** The process namespaces of the nodes' present boots. */
    private volatile Map<String, String> namespaces = Map.of();

    private final Set<String> atRest = new ConcurrentSkipListSet<>();
    private final ProcessWatch processes;
    private final Thread reader;
    private volatile boolean ends;

    public SecretWatch(Pair pair) {
        this.pair = pair;
        for (String node : Pair.NODES) {
            add(
                    Secret.password(
                            "the password for the BMC of " + node,
                            LabBmc.passwordOf(node),
                            LabBmc.USER));
            if (pair.lab().layout().spec().bmc().hasIpmi()) {
                add(
                        Secret.password(
                                "the password for IPMI of " + node,
                                LabBmc.ipmiPasswordOf(node),
                                LabBmc.IPMI_USER));
            }
        }
        readAll();
        String own = namespace("self").orElseThrow();
        processes =
                new ProcessWatch(
                        secrets,
                        process ->
                                namespace(String.valueOf(process))
                                        .filter(namespace -> !namespace.equals(own))
                                        .map(namespaces::get));
        reader = Thread.ofVirtual().name("read secrets").start(this::read);
    }

    /** One more to look for. */
    public void add(Secret secret) {
        secrets.add(secret);
    }

    /** What processes of the nodes have shown so far. */
    public Set<String> leaksOfProcesses() {
        return processes.leaks();
    }

    /**
     * What stands on the nodes now and in what they have logged since the last look. Fails where a
     * node cannot be searched; what was found then is told by the next look that does not.
     */
    public Set<String> leaksAtRest() {
        Map<String, SecretScan.Findings> found = new ConcurrentHashMap<>();
        Pair.NODES.parallelStream()
                .forEach(node ->
                        found.put(
                                node,
                                SecretScan.of(pair.lab().node(node).commands())
                                        .look(secrets.byForm())));
        Set<String> blind = new TreeSet<>();
        found.forEach((node, findings) -> {
            findings.leaks().forEach(leak -> atRest.add(node + ": " + leak));
            findings.blind().forEach(what -> blind.add(node + ": " + what));
        });
        if (!blind.isEmpty()) {
            throw new IllegalStateException("cannot look for secrets: " + blind);
        }
        return Set.copyOf(atRest);
    }

    private void read() {
        while (!ends) {
            try {
                readAll();
            } catch (RuntimeException e) {
                // A node that goes off under the question is read when it is back.
            }
            try {
                Thread.sleep(EVERY);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void readAll() {
        Map<String, String> now = new ConcurrentHashMap<>();
        for (String node : Pair.NODES) {
            Optional<String> first =
                    Optional.ofNullable(pair.lab().node(node).machine().leader())
                            .map(String::valueOf);
            first.flatMap(SecretWatch::namespace).ifPresent(namespace -> now.put(namespace, node));
            first.ifPresent(process -> readFiles(Path.of("/proc", process, "root")));
        }
        namespaces = now;
    }

    private static Optional<String> namespace(String process) {
        try {
            return Optional.of(
                    Files.readSymbolicLink(Path.of("/proc", process, "ns", "pid")).toString());
        } catch (IOException e) {
            // It has ended.
            return Optional.empty();
        }
    }

    private void readFiles(Path root) {
        Path configuration = inside(root, NodePaths.CONFIGURATION);
        readEach(configuration, PCSD_TOKEN, (_, token) -> keep("the token of pcsd", token, ""));
        readEach(
                configuration.resolve("bmc"),
                "*.password",
                (file, password) -> keep("the password in " + file.getFileName(), password, ""));
        readEach(
                inside(root, NodePaths.RUN),
                Path.of(SESSIONS).getFileName() + "*",
                (file, session) ->
                        keep(
                                "the token in " + file.getFileName(),
                                token(session).orElse(""),
                                SESSIONS));
    }

    private static Path inside(Path root, Path place) {
        return root.resolve(Path.of("/").relativize(place));
    }

    private interface Reader {
        void take(Path file, String content);
    }

    private static void readEach(Path directory, String names, Reader reader) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, names)) {
            for (Path file : files) {
                reader.take(file, Files.readString(file).strip());
            }
        } catch (IOException | DirectoryIteratorException e) {
            // Not there yet, or being replaced: it is read again in a second.
        }
    }

    private static Optional<String> token(String session) {
        try {
            JsonNode token = Json.MAPPER.readTree(session).path("token");
            return token.isTextual() ? Optional.of(token.asText()) : Optional.empty();
        } catch (JsonProcessingException e) {
            // Being written.
            return Optional.empty();
        }
    }

    private void keep(String what, String value, String home) {
        if (!value.isEmpty() && !secrets.byForm().containsKey(value)) {
            secrets.add(new Secret(what, value, List.of(LabBmc.USER, LabBmc.IPMI_USER), home));
        }
    }

    @Override
    public void close() {
        ends = true;
        reader.interrupt();
        processes.close();
    }
}
