package dev.tandem.drill;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.KubernetesState;
import dev.tandem.drill.client.KubeClients;
import dev.tandem.lab.Lab;
import dev.tandem.lab.kube.LabKube;
import dev.tandem.lab.kube.LabKubeApi;
import dev.tandem.lab.pair.KubePair;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A power cut as the clients of Kubernetes see it. */
class ApiFailoverIT {
    /** Generous: the machine of a build may be busy. The bench holds the objectives. */
    private static final Duration RECOVERY = Duration.ofSeconds(90);

    private static final String OTHERS = "example.com/gpu";

    @SuppressWarnings("NullAway.Init") // set before the first test
    private static Lab lab;

    @SuppressWarnings("NullAway.Init") // set before the first test
    private static Pair pair;

    @SuppressWarnings("NullAway.Init") // set before the first test
    private static LabKube kube;

    @BeforeAll
    static void makeThePair() throws Exception {
        KubePair made = KubePair.start("it-api");
        lab = made.lab();
        pair = made.pair();
        kube = made.kube();
    }

    @AfterAll
    static void endTheLab() throws Exception {
        lab.close();
    }

    @Test
    void podsOfAFencedNodeMoveItsLeasesAreFreeAndItsMarkGoesWhenItIsBack() throws Exception {
        String victim = schedulerHolder();
        String survivor = Pair.peerOf(victim);
        long cut;
        try (KubeClients clients = KubeClients.start(lab, kube)) {
            // Not before the pods are there: they would all go to the other node.
            kube.kubectl("", "taint", "node", victim, OTHERS + "=:PreferNoSchedule");
            cut = System.nanoTime();

            // Off for as long as it takes: a node that is back before all pods have moved keeps the
            // rest.
            lab.node(victim).crash(LabRequest.CrashKind.PLUG);

            clients.watchPods(List.of(survivor));
            assertThat(clients.podsMoved(cut, RECOVERY)).as("pods have moved").isPresent();
            assertThat(clients.apiWrite(cut)).isPositive();
            lab.await(
                    "status says so",
                    RECOVERY,
                    () -> toldKubernetes(survivor) == KubernetesState.PEER_OUT_OF_SERVICE);
            lab.await(
                    "the survivor's scheduler has the lease",
                    RECOVERY,
                    () -> schedulerHolder().equals(survivor));
            lab.heal();
            lab.node(victim).power(LabRequest.PowerAction.ON);
            pair.awaitRedundant(Duration.ofMinutes(4));
            clients.awaitInService();
        }
        assertThat(taints(victim)).containsExactly(OTHERS);
        assertThat(
                        pair.journalSince(survivor, cut).stream()
                                .<Class<?>>map(line -> line.event().getClass()))
                .containsSubsequence(
                        JournalEvent.Fenced.class,
                        JournalEvent.Serving.class,
                        JournalEvent.LeasesFreed.class,
                        JournalEvent.NodeMarked.class,
                        JournalEvent.PodsNotReady.class);
        assertThat(
                        Pair.NODES.stream()
                                .flatMap(node -> pair.journalSince(node, cut).stream())
                                .map(JournalLine::event))
                .hasAtLeastOneElementOfType(JournalEvent.NodeCleared.class);
    }

    private static @Nullable KubernetesState toldKubernetes(String node) {
        AgentStatus.KubernetesLine line = pair.status(node).orElseThrow().kubernetes();
        return line == null ? null : line.state();
    }

    private static String schedulerHolder() throws IOException {
        LabKubeApi.Answer lease =
                kube.api()
                        .get(
                                "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler");
        String holder = lease.body().at("/spec/holderIdentity").asText();
        return holder.substring(0, Math.max(0, holder.indexOf('_')));
    }

    private static List<String> taints(String node) throws IOException {
        return kube.api()
                .get("/api/v1/nodes/" + node)
                .body()
                .at("/spec/taints")
                .valueStream()
                .map((JsonNode taint) -> taint.path("key").asText())
                .toList();
    }
}
