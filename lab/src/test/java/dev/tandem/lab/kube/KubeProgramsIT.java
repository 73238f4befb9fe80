package dev.tandem.lab.kube;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the programs we link into one file work together as the five they are. */
class KubeProgramsIT {
    /** Twenty seconds on an idle machine; the limit is for one that compiles beside it. */
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private static final String TWO_PODS =
            """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web, namespace: default}
            spec:
              replicas: 2
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec:
                  containers: [{name: web, image: registry.example/web}]
                  topologySpreadConstraints:
                  - maxSkew: 1
                    topologyKey: kubernetes.io/hostname
                    whenUnsatisfiable: DoNotSchedule
                    labelSelector: {matchLabels: {app: web}}
            """;

    @Test
    void aDeploymentIsSpreadOverTwoHollowNodes(@TempDir Path directory)
            throws IOException, InterruptedException {
        try (HollowNodes nodes = new HollowNodes(directory);
                RealApiServer server = RealApiServer.start(directory)) {
            server.startBeside(
                    "kube-controller-manager",
                    "kube-controller-manager",
                    "--bind-address=127.0.0.1",
                    "--secure-port=" + RealApiServer.freePort(),
                    "--leader-elect=false",
                    "--root-ca-file=" + server.file("ca.crt"),
                    "--service-account-private-key-file=" + server.file("tokens.key"));
            server.startBeside(
                    "kube-scheduler",
                    "kube-scheduler",
                    "--bind-address=127.0.0.1",
                    "--secure-port=" + RealApiServer.freePort(),
                    "--leader-elect=false");
            for (String node : nodes.names()) {
                server.startBeside(
                        node,
                        "kubemark",
                        "--morph=kubelet",
                        "--name=" + node,
                        "--kubelet-port=" + RealApiServer.freePort(),
                        "--kubelet-read-only-port=0",
                        "--node-labels=kubernetes.io/hostname=" + node,
                        "--use-host-image-service=false");
            }
            server.kubectl(TWO_PODS, "apply", "-f", "-");

            server.await(
                    "a pod is ready on each node",
                    LIMIT,
                    () -> {
                        server.allRun();
                        String pods =
                                server.kubectl(
                                        "",
                                        "get",
                                        "pods",
                                        "--field-selector=status.phase=Running",
                                        "-o",
                                        "jsonpath={.items[*].spec.nodeName}");
                        return pods.contains("node-0") && pods.contains("node-1");
                    });
        }
    }

    /**
     * Hollow kubelets keep their state below /tmp, wherever they are told to, and leave it there.
     */
    private record HollowNodes(Path directory) implements AutoCloseable {
        private static final Pattern STATE =
                Pattern.compile("Using (/tmp/hollow-kubelet\\.\\S+) as root dir");

        List<String> names() {
            return List.of("node-0", "node-1");
        }

        @Override
        public void close() throws IOException {
            for (String name : names()) {
                Path log = directory.resolve(name + ".log");
                if (!Files.exists(log)) {
                    continue;
                }
                Matcher state = STATE.matcher(Files.readString(log));
                while (state.find()) {
                    try (Stream<Path> tree = Files.walk(Path.of(state.group(1)))) {
                        for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                            Files.delete(path);
                        }
                    }
                }
            }
        }
    }
}
