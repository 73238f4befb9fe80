package dev.tandem.drill.scenario;

import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.lab.pair.Pair;
import java.time.Duration;
import java.util.List;

/** Nodes come up, together, apart or alone. */
final class BootScenarios {
    private BootScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "both-lose-power",
                        "Both nodes lose power under load and come back; both start on their own"
                                + " data, and nobody forces anything.",
                        "TL13",
                        45,
                        BootScenarios::bothLosePower),
                Scenario.slow(
                        "cold-boot-equal-data",
                        "Both nodes boot with equal data, one some time after the other; the first"
                                + " is inert until it meets its peer, and then both serve at once.",
                        "TL1",
                        60,
                        BootScenarios::equalData),
                Scenario.slow(
                        "cold-boot-older-node-1",
                        "node-0 wrote alone while node-1 was without power; after a cold boot"
                                + " node-0 seeds, and node-1 alone refuses even a person's word.",
                        "TL2",
                        90,
                        stage -> differentData(stage, "node-1", true)),
                Scenario.slow(
                        "cold-boot-older-node-0",
                        "node-1 wrote alone while node-0 was without power; after a cold boot"
                                + " node-1 seeds.",
                        "TL2",
                        80,
                        stage -> differentData(stage, "node-0", false)),
                Scenario.slow(
                        "both-lose-power-one-returns",
                        "Both lose power and one never returns; the other waits, refuses a mere"
                                + " word that the peer is off, and serves once a person accepts the"
                                + " loss of what the peer may hold.",
                        "TL13",
                        90,
                        BootScenarios::oneReturns));
    }

    private static void bothLosePower(ScenarioContext stage) {
        long cut = stage.step("cut the power of both");
        Pair.NODES.forEach(node -> stage.node(node).cutPower());
        long on = stage.step("switch both on");
        Pair.NODES.forEach(stage::powerOn);
        stage.awaitSettled();
        stage.awaitWrites();
        figureOfFirstWrite(stage, on);
        stage.expectNoTakeOver();
        stage.expectNothingSetAside(cut);
        stage.expectNoFence();
    }

    private static void figureOfFirstWrite(ScenarioContext stage, long on) {
        stage.figure(
                "power on to first write",
                Duration.ofNanos(stage.writer().firstAfter(on).orElseThrow() - on),
                Duration.ofSeconds(60));
    }

    private static void equalData(ScenarioContext stage) throws Exception {
        long cut = stage.step("cut the power of both while nobody writes");
        stage.bothOffQuietly();
        stage.step("switch on node-0 alone");
        stage.powerOn("node-0");
        stage.awaitUp("node-0");
        stage.awaitAgent("node-0");
        stage.holdsInert("node-0", Duration.ofSeconds(20));
        stage.expect(
                stage.saysThatItWaits("node-0", WaitFor.PEER_RETURN),
                "the status says whom it waits for, not: " + stage.sentence("node-0"));
        long on = stage.step("switch on node-1");
        stage.powerOn("node-1");
        stage.awaitSettled();
        stage.awaitWrites();
        figureOfFirstWrite(stage, on);
        stage.expectNoFence();
        stage.expectNoTakeOver();
        stage.expectNothingSetAside(cut);
        stage.expectRestartsAtMost(0);
    }

    private static void differentData(ScenarioContext stage, String older, boolean asked)
            throws Exception {
        String newer = Pair.peerOf(older);
        stage.step("pull the plug of " + older);
        stage.plugOut(older);
        stage.awaitAlone(newer);
        stage.awaitWrites();
        stage.step("pull the plug of %s, which wrote alone".formatted(newer));
        stage.plugOut(newer);
        stage.lab().heal();
        long on = stage.step("switch on " + older);
        stage.powerOn(older);
        stage.awaitUp(older);
        stage.awaitAgent(older);
        stage.holdsInert(older, Duration.ofSeconds(10));
        if (asked) {
            stage.step("a person states that %s is off".formatted(newer));
            stage.confirmPeerOff(older);
            stage.holdsInert(older, Duration.ofSeconds(10));
            stage.expect(
                    stage.refuses(older, Refusal.WHO_SERVED_LAST),
                    "%s says why it refuses, not: %s".formatted(older, stage.sentence(older)));
        }
        long newerOn = stage.step("switch on " + newer);
        stage.powerOn(newer);
        stage.awaitSettled();
        stage.awaitWrites();
        figureOfFirstWrite(stage, newerOn);
        stage.expectNoTakeOver(on);
    }

    private static void oneReturns(ScenarioContext stage) throws Exception {
        stage.step("pull both plugs under load");
        Pair.NODES.forEach(stage::plugOut);
        stage.lab().heal();
        stage.step("switch on node-0");
        stage.powerOn("node-0");
        stage.awaitUp("node-0");
        stage.awaitAgent("node-0");
        stage.holdsInert("node-0", Duration.ofSeconds(15));
        stage.step("a person states that node-1 is off");
        stage.confirmPeerOff("node-0");
        stage.holdsInert("node-0", Duration.ofSeconds(10));
        long accepted = stage.step("the person accepts that node-1 may hold more");
        stage.confirmPeerOff("node-0", "--accept-loss");
        stage.awaitAlone("node-0");
        stage.figure(
                "acceptance to first write",
                Duration.ofNanos(stage.writer().firstAfter(accepted).orElseThrow() - accepted),
                Duration.ofSeconds(30));
        stage.step("node-1 returns after all");
        stage.powerOn("node-1");
        stage.awaitSettled();
    }
}
