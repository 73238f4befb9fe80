package dev.tandem.drill.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.lab.Lab;
import dev.tandem.lab.kube.LabKube;
import dev.tandem.lab.kube.LabKubeApi;
import dev.tandem.lab.pair.Pair;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** A Deployment whose pods are spread over both nodes, and where they are. */
final class Workload implements AutoCloseable {
    static final int PODS = 6;

    private static final Duration START = Duration.ofMinutes(3);
    private static final String DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

    /** A request that met an etcd without a leader would wait for long; the next one does not. */
    private static final Duration GLANCE = Duration.ofSeconds(1);

    private final LabKubeApi api;
    private final Map<String, LabKubeApi> nodes;
    private final String name;

    private Workload(LabKube kube, String name) {
        this.api = kube.api();
        this.nodes = Pair.NODES.stream().collect(Collectors.toUnmodifiableMap(n -> n, kube::apiOf));
        this.name = name;
    }

    /** Returns when all pods are ready, some on each node. */
    static Workload spread(Lab lab, LabKube kube, String name) throws IOException {
        Workload workload = new Workload(kube, name);
        LabKubeApi.Answer made =
                workload.api.post(
                        DEPLOYMENTS,
                        """
                        {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"%1$s"},
                         "spec":{"replicas":%2$d,"selector":{"matchLabels":{"app":"%1$s"}},
                          "template":{"metadata":{"labels":{"app":"%1$s"}},
                           "spec":{"containers":[{"name":"web","image":"registry.example/web"}],
                            "topologySpreadConstraints":[{"maxSkew":1,
                             "topologyKey":"kubernetes.io/hostname",
                             "whenUnsatisfiable":"ScheduleAnyway",
                             "labelSelector":{"matchLabels":{"app":"%1$s"}}}]}}}}
                        """
                                .formatted(name, PODS));
        if (!made.accepted()) {
            throw new IOException("no Deployment: " + made);
        }
        lab.await(
                PODS + " pods are ready, some on each node",
                START,
                () -> {
                    long first = workload.readyOn(Pair.NODES.getFirst());
                    long last = workload.readyOn(Pair.NODES.getLast());
                    return first > 0 && last > 0 && first + last == PODS;
                });
        return workload;
    }

    /** Ready pods on that node that nobody has told to end, by that node's own API server. */
    long readyOn(String node) {
        try {
            return Objects.requireNonNull(nodes.get(node))
                    .send(
                            "GET",
                            "/api/v1/namespaces/default/pods?labelSelector=app%3D" + name,
                            "application/json",
                            "",
                            GLANCE)
                    .body()
                    .path("items")
                    .valueStream()
                    .filter(pod -> pod.at("/spec/nodeName").asText().equals(node))
                    .filter(pod -> pod.at("/metadata/deletionTimestamp").isMissingNode())
                    .filter(Workload::isReady)
                    .count();
        } catch (IOException e) {
            return 0;
        }
    }

    private static boolean isReady(JsonNode pod) {
        return pod.at("/status/conditions")
                .valueStream()
                .anyMatch(condition ->
                        condition.path("type").asText().equals("Ready")
                                && condition.path("status").asText().equals("True"));
    }

    @Override
    public void close() throws IOException {
        LabKubeApi.Answer gone = api.delete(DEPLOYMENTS + "/" + name);
        if (!gone.accepted()) {
            throw new IOException("the Deployment stays: " + gone);
        }
    }
}
