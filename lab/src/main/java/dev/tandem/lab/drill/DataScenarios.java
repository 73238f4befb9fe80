package dev.tandem.lab.drill;

import dev.tandem.lab.failover.Pair;
import java.time.Duration;
import java.util.List;

/** Replicas are torn, damaged, missing, of another history, or cut off from space. */
final class DataScenarios {
    private static final String LINEAGE = "/var/lib/etcd/current/lineage.json";

    private DataScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.unhurried(
                        "fork-refused",
                        "One node comes back with another history; both refuse, nothing is touched,"
                                + " and a person chooses which one is kept.",
                        "T3",
                        90,
                        DataScenarios::forkRefused));
    }

    private static void forkRefused(Stage stage) throws Exception {
        stage.step("cut the power of both while nobody writes");
        stage.bothOffQuietly();
        stage.step("node-1 boots alone and gets the history of another recovery");
        stage.powerOn("node-1");
        stage.awaitUp("node-1");
        stage.awaitAgent("node-1");
        stage.must("node-1", "systemctl", "stop", "tandem-agent");
        stage.must(
                "node-1",
                "sed",
                "-i",
                "s/\"founderBoot\" : \"[^\"]*\"/\"founderBoot\" : \"another-recovery\"/",
                LINEAGE);
        stage.must("node-1", "systemctl", "start", "tandem-agent");
        long on = stage.step("node-0 boots too");
        stage.powerOn("node-0");
        for (String node : Pair.NODES) {
            stage.await(
                    node + " refuses and says that there are two histories",
                    Stage.RECOVERY,
                    () -> stage.sentence(node).contains("went on separately"));
        }
        stage.holds(
                "no etcd runs while nobody has chosen",
                Duration.ofSeconds(10),
                () -> Pair.NODES.stream().noneMatch(stage::runsEtcd));
        stage.expectNoTakeOver(on);
        stage.expectNothingSetAside(on);
        stage.step("a person would keep node-0's history, which nobody serves yet");
        stage.expect(
                stage.keepHistory("node-1").err().contains("node-0 does not serve"),
                "nothing is given up for a history that is not served");
        stage.step("so node-1 is shut down, as the runbook says");
        stage.shutDown("node-1");
        stage.awaitOff("node-1", Duration.ofMinutes(5));
        stage.step("node-0 is told that node-1 is off and its history given up");
        stage.confirmPeerOff("node-0", "--accept-loss");
        stage.awaitAlone("node-0");
        stage.step("switch on node-1");
        stage.powerOn("node-1");
        stage.await(
                "node-1 does not give its history up by itself",
                Stage.RECOVERY,
                () -> stage.sentence("node-1").contains("went on separately"));
        stage.await(
                "node-1 has heard that node-0 serves",
                Stage.RECOVERY,
                () -> stage.keepHistory("node-1", "--dry-run").ok());
        stage.expectNothingSetAside(on);
        stage.expect(
                stage.keepHistory("node-0", "--yes").err().contains("no two histories"),
                "who serves has nothing to choose");
        stage.step("a person keeps node-0's history on node-1");
        stage.expect(stage.keepHistory("node-1", "--yes").ok(), "the choice is taken");
        stage.awaitSettled();
        stage.awaitWrites();
        stage.expect(
                stage.node("node-1")
                        .must(Stage.SHORT, "sh", "-c", "cat /var/lib/etcd/kept/*/lineage.json")
                        .contains("another-recovery"),
                "what was given up is still there");
        stage.expect(
                stage.must("node-1", "tandem", "explain", "--last", "200")
                        .contains("the peer's history is kept"),
                "the choice is in the journal");
        stage.expectNoFence();
    }
}
