package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.NetworkFault;
import dev.tandem.redfishsim.BmcBehaviour;
import java.time.Duration;
import java.util.List;

/** The nodes live and cannot hear each other, or not well. */
final class SplitScenarios {
    private static final String NETWORK = "cluster0";

    private SplitScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "split",
                        "The cluster network is cut for a while; one node is fenced, the other"
                            + " serves, and the fenced one does nothing until the cut is healed.",
                        "TL9",
                        40,
                        stage -> split(stage, Duration.ZERO)),
                Scenario.slow(
                        "split-that-stays",
                        "The cut stays after the fenced node has booted; it is inert and fences"
                                + " nobody until the cut is healed.",
                        "TL10",
                        100,
                        stage -> split(stage, Duration.ofSeconds(60))),
                Scenario.slow(
                        "split-with-a-slow-bmc",
                        "The cluster network is cut while the BMCs take 15 s for each action; still"
                                + " only one node is fenced.",
                        "TL9",
                        80,
                        SplitScenarios::splitWithASlowBmc),
                Scenario.slow(
                        "one-way-loss",
                        "node-1 does not hear node-0 any more, but node-0 hears node-1; at most one"
                                + " is fenced.",
                        "TL12",
                        60,
                        stage ->
                                episode(
                                        stage,
                                        new NetworkFault.Cut(
                                                NETWORK, "node-0", "node-1", false, List.of()),
                                        Duration.ofSeconds(20))),
                Scenario.slow(
                        "flapping-network",
                        "The cluster network comes and goes every two seconds; at most one node is"
                                + " fenced.",
                        "TL12",
                        90,
                        SplitScenarios::flapping),
                Scenario.slow(
                        "packet-loss",
                        "The cluster network loses 30 % of the packets for a minute; there is no"
                                + " storm of restarts.",
                        "TL12",
                        90,
                        stage ->
                                episode(
                                        stage,
                                        new NetworkFault.Loss(NETWORK, "node-1", 30),
                                        Duration.ofSeconds(60))),
                Scenario.slow(
                        "slow-network",
                        "The cluster network needs half a second there and back for a minute; there"
                                + " is no storm of restarts.",
                        "TL12",
                        90,
                        stage ->
                                episode(
                                        stage,
                                        new NetworkFault.Delay(NETWORK, "node-1", 250, 0),
                                        Duration.ofSeconds(60))));
    }

    private static void split(ScenarioContext stage, Duration stays) throws Exception {
        long cut = stage.step("cut the cluster network");
        stage.lab().split(NETWORK);
        stage.awaitAlone("node-0");
        stage.figureOfGap("split to first write", cut, Duration.ofSeconds(60));
        stage.awaitUp("node-1");
        stage.awaitAgent("node-1");
        if (stays.isPositive()) {
            stage.step("node-1 has booted into the cut");
            stage.holdsInert("node-1", stays);
            stage.expect(
                    stage.saysThatItWaits("node-1", WaitFor.PEER_RETURN),
                    "the status says whom it waits for, not: " + stage.sentence("node-1"));
        }
        stage.expect(!stage.pair().is("node-1", NodeHealth.ALONE), "node-1 does not serve");
        stage.step("heal");
        stage.lab().heal();
        stage.awaitSettled();
        oneShot(stage);
    }

    /** node-0 is the preferred survivor: its killer waits. */
    private static void oneShot(ScenarioContext stage) {
        stage.expectFences(1);
        stage.expectShots(1);
        stage.expect(
                stage.happened("node-0", JournalEvent.Fenced.class),
                "node-0 lives, and has node-1's receipt");
    }

    private static void splitWithASlowBmc(ScenarioContext stage) {
        stage.step("the plan says that the BMCs take 15 s to switch off");
        stage.apply("bmcOff: 15s");
        try {
            for (String node : Pair.NODES) {
                stage.node(node)
                        .bmcBehaves(
                                BmcBehaviour.FAULTLESS
                                        .withOffLatency(Duration.ofSeconds(15))
                                        .withOnLatency(Duration.ofSeconds(15)));
            }
            long cut = stage.step("cut the cluster network");
            stage.lab().split(NETWORK);
            stage.awaitAlone("node-0");
            stage.figureOfGap("split to first write", cut, Duration.ofSeconds(60));
            stage.awaitUp("node-1");
            stage.step("heal");
            stage.lab().heal();
            stage.awaitSettled();
            oneShot(stage);
        } finally {
            stage.apply("");
        }
    }

    private static void flapping(ScenarioContext stage) throws InterruptedException {
        stage.step("cut and heal the cluster network every 2 s");
        for (int i = 0; i < 10; i++) {
            stage.lab().split(NETWORK);
            stage.pause(Duration.ofSeconds(2));
            stage.lab().heal(NETWORK);
            stage.pause(Duration.ofSeconds(2));
        }
        stage.step("it is over");
        calm(stage);
    }

    private static void episode(ScenarioContext stage, NetworkFault fault, Duration time)
            throws InterruptedException {
        stage.step(fault.sentence());
        stage.lab().inject(fault);
        stage.pause(time);
        stage.step("heal");
        stage.lab().heal();
        calm(stage);
    }

    private static void calm(ScenarioContext stage) {
        stage.awaitCalm();
        stage.expectFencesAtMost(1);
        stage.expectRestartsAtMost(3);
    }
}
