package dev.tandem.drill.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.lab.Lab;
import dev.tandem.lab.kube.LabKube;
import dev.tandem.lab.kube.LabKubeApi;
import dev.tandem.lab.pair.Pair;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Clients of Kubernetes during an incident: one writes through the address of the API, and a
 * Deployment wants its pods.
 */
public final class KubeClients implements AutoCloseable {
    public static final String API_WRITE = "api write";
    public static final String PODS_MOVED = "pods moved";
    public static final String PODS_AFTER_FENCE = "pods after fence";
    public static final String IN_SERVICE = "in service";

    /** Pods move within seconds, or never: a node that is back keeps those that it has. */
    public static final Duration MOVING = Duration.ofMinutes(1);

    private static final Duration RETURN = Duration.ofMinutes(3);
    private static final Duration GLANCE = Duration.ofMillis(50);

    private final Lab lab;
    private final LabKubeApi api;
    private final Workload pods;
    private final ApiWriter writer;
    private final CompletableFuture<Long> moved = new CompletableFuture<>();
    private volatile boolean ends;

    private KubeClients(Lab lab, LabKubeApi api, Workload pods, ApiWriter writer) {
        this.lab = lab;
        this.api = api;
        this.pods = pods;
        this.writer = writer;
    }

    /** Returns when pods run on both nodes and writes are accepted. */
    public static KubeClients start(Lab lab, LabKube kube) throws IOException {
        Workload pods = Workload.spread(lab, kube, "web-%x".formatted(System.nanoTime()));
        return new KubeClients(lab, kube.api(), pods, new ApiWriter(kube.api(), "bench"));
    }

    /** From now on it is watched when one of these nodes has all the pods. */
    public void watchPods(List<String> survivors) {
        Thread.ofVirtual()
                .name("pods")
                .start(() -> {
                    while (!ends) {
                        if (survivors.stream()
                                .anyMatch(node -> pods.readyOn(node) == Workload.PODS)) {
                            moved.complete(System.nanoTime());
                            return;
                        }
                        try {
                            Thread.sleep(GLANCE);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                            return;
                        }
                    }
                });
    }

    /** Milliseconds from the cut until all pods were ready on one node; empty at the limit. */
    public OptionalLong podsMoved(long cut, Duration limit) throws InterruptedException {
        try {
            long at = moved.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return OptionalLong.of((at - cut) / 1_000_000);
        } catch (TimeoutException e) {
            return OptionalLong.empty();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** When the API accepted writes again, in milliseconds from the cut. */
    public long apiWrite(long cut) {
        lab.await(
                "the API accepts writes",
                RETURN,
                () -> writer.writesSince(System.nanoTime() - 500_000_000L));
        return (writer.endOfLongestGapSince(cut) - cut) / 1_000_000;
    }

    /** Waits until both nodes are Ready and no mark is left. */
    public void awaitInService() {
        lab.await("both nodes are in service", RETURN, () -> inService(api));
    }

    static boolean inService(LabKubeApi api) throws IOException {
        List<JsonNode> nodes = api.get("/api/v1/nodes").body().path("items").valueStream().toList();
        return api.readyNodes().containsAll(Pair.NODES)
                && nodes.stream()
                        .flatMap(node -> node.at("/spec/taints").valueStream())
                        .noneMatch(taint -> taint.path("effect").asText().equals("NoExecute"));
    }

    @Override
    public void close() throws IOException {
        ends = true;
        writer.close();
        pods.close();
    }
}
