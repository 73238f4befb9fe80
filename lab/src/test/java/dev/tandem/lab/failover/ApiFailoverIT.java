package dev.tandem.lab.failover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.lab.Lab;
import dev.tandem.lab.LabRequest;
import dev.tandem.lab.LabSpec;
import dev.tandem.lab.Steps;
import dev.tandem.lab.kube.KubeApi;
import dev.tandem.lab.kube.KubePrograms;
import dev.tandem.lab.kube.LabKube;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A power cut as the clients of Kubernetes see it. */
class ApiFailoverIT {
    /** Generous: the machine of a build may be busy. The bench holds the objectives. */
    private static final Duration RECOVERY = Duration.ofSeconds(90);

    private static final String OTHERS = "example.com/gpu";

    @TempDir private static Path keys;

    @SuppressWarnings("NullAway.Init") // set before the first test
    private static Lab lab;

    @SuppressWarnings("NullAway.Init") // set before the first test
    private static Pair pair;

    @SuppressWarnings("NullAway.Init") // set before the first test
    private static LabKube kube;

    @BeforeAll
    static void makeThePair() throws Exception {
        Path programs =
                KubePrograms.ofHost()
                        .ensure(
                                Optional.ofNullable(System.getProperty("kube.programs"))
                                        .map(Path::of),
                                Steps.SILENT);
        lab = Lab.start(LabKube.with(LabSpec.twoNodes("it-api"), programs));
        pair = Pair.setUp(lab, "default", keys);
        kube = LabKube.of(lab, keys).orElseThrow();
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
                    "the survivor's scheduler has the lease",
                    RECOVERY,
                    () -> schedulerHolder().equals(survivor));
            lab.heal();
            lab.node(victim).power(LabRequest.PowerAction.ON);
            pair.awaitSettled(Duration.ofMinutes(4));
            clients.awaitInService();
        }
        assertThat(taints(victim)).containsExactly(OTHERS);
        assertThat(
                        pair.journalSince(survivor, cut).stream()
                                .map(line -> line.path("event").asText()))
                .containsSubsequence(
                        "fenced", "serving", "leases-freed", "node-marked", "pods-not-ready");
        assertThat(
                        Pair.NODES.stream()
                                .flatMap(node -> pair.journalSince(node, cut).stream())
                                .map(line -> line.path("event").asText()))
                .contains("node-cleared");
    }

    private static String schedulerHolder() throws IOException {
        KubeApi.Answer lease =
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
