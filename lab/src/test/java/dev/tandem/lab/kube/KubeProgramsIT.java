package dev.tandem.lab.kube;

import dev.tandem.host.testing.LoopbackPorts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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
        try (RealApiServer server = RealApiServer.start(directory)) {
            server.startBeside(
                    "kube-controller-manager",
                    "kube-controller-manager",
                    "--bind-address=127.0.0.1",
                    "--secure-port=" + LoopbackPorts.next(),
                    "--leader-elect=false",
                    "--root-ca-file=" + server.file("ca.crt"),
                    "--service-account-private-key-file=" + server.file("tokens.key"));
            server.startBeside(
                    "kube-scheduler",
                    "kube-scheduler",
                    "--bind-address=127.0.0.1",
                    "--secure-port=" + LoopbackPorts.next(),
                    "--leader-elect=false");
            server.startHollowNode("node-0");
            server.startHollowNode("node-1");
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
}
