package dev.tandem.drill.bench;

import dev.tandem.drill.client.KubeClients;
import dev.tandem.host.kube.AgentRbac;
import dev.tandem.lab.Lab;
import dev.tandem.lab.NodeHandle;
import dev.tandem.lab.kube.LabKube;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The same crash without the agents telling Kubernetes, which has to find out for itself. Its
 * defaults are to wait 50 s for a silent kubelet, and 300 s more before its pods are given up.
 */
public final class PlainKubernetes {
    private static final Duration WAIT = Duration.ofMinutes(8);
    private static final Duration SHORT = Duration.ofSeconds(20);
    private static final Duration RETURN = Duration.ofMinutes(4);
    private static final String ASIDE = AgentRbac.KUBECONFIG + ".aside";

    private PlainKubernetes() {}

    /**
     * How long pods took.
     *
     * @param podsMovedMillis from the cut; absent where it took longer than the wait
     */
    public record Comparison(
            @Nullable Long podsMovedMillis, long waitedMillis, long withTandemMillis) {
        double ratio() {
            return (double) (podsMovedMillis == null ? waitedMillis : podsMovedMillis)
                    / withTandemMillis;
        }

        public String asText() {
            return String.format(
                    Locale.ROOT,
                    "plain Kubernetes: pods moved %s %.1f s after the cut, %s%.0f times as long",
                    podsMovedMillis == null ? "not within" : "within",
                    (podsMovedMillis == null ? waitedMillis : podsMovedMillis) / 1000.0,
                    podsMovedMillis == null ? "more than " : "",
                    ratio());
        }
    }

    /**
     * Cuts a node's power for good, waits for the pods, and brings the node back.
     *
     * @param withTandemMillis the median of the other runs
     */
    public static Comparison measure(Pair pair, LabKube kube, String victim, long withTandemMillis)
            throws IOException, InterruptedException {
        Lab lab = pair.lab();
        pair.awaitRedundant(RETURN);
        lab.nodes().forEach(node -> move(node, AgentRbac.KUBECONFIG.toString(), ASIDE));
        try (KubeClients clients = KubeClients.start(lab, kube)) {
            String survivor = Pair.peerOf(victim);
            long cut = System.nanoTime();
            // Else it would be back, with its pods, long before Kubernetes misses them.
            lab.node(victim).crash(LabRequest.CrashKind.PLUG);
            clients.watchPods(List.of(survivor));
            OptionalLong moved = clients.podsMoved(cut, WAIT);
            lab.heal();
            lab.node(victim).power(LabRequest.PowerAction.ON);
            pair.awaitRedundant(RETURN);
            clients.awaitInService();
            return new Comparison(
                    moved.isPresent() ? moved.getAsLong() : null,
                    WAIT.toMillis(),
                    withTandemMillis);
        } finally {
            lab.nodes().forEach(node -> move(node, ASIDE, AgentRbac.KUBECONFIG.toString()));
        }
    }

    private static void move(NodeHandle node, String from, String to) {
        node.must(SHORT, "mv", from, to);
    }
}
