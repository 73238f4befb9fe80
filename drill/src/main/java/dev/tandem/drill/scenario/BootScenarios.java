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
                            + " node-0 starts first and node-1 joins it; node-1 on its own refuses"
                            + " even a person's statement.",
                        "TL2",
                        90,
                        drill -> differentData(drill, "node-1", true)),
                Scenario.slow(
                        "cold-boot-older-node-0",
                        "node-1 wrote alone while node-0 was without power; after a cold boot"
                                + " node-1 starts first and node-0 joins it.",
                        "TL2",
                        80,
                        drill -> differentData(drill, "node-0", false)),
                Scenario.slow(
                        "both-lose-power-one-returns",
                        "Both lose power and one never returns; the other waits, refuses a mere"
                            + " statement that the peer is off, and serves once a person accepts"
                            + " the loss of what the peer may hold.",
                        "TL13",
                        90,
                        BootScenarios::oneReturns));
    }

    private static void bothLosePower(ScenarioContext drill) {
        long cut = drill.step("cut the power of both");
        Pair.NODES.forEach(node -> drill.node(node).cutPower());
        long on = drill.step("switch both on");
        Pair.NODES.forEach(drill::powerOn);
        drill.awaitSettled();
        drill.awaitWrites();
        figureOfFirstWrite(drill, on);
        drill.expectNoTakeOver();
        drill.expectNothingSetAside(cut);
        drill.expectNoFence();
    }

    private static void figureOfFirstWrite(ScenarioContext drill, long on) {
        drill.figure(
                "power on to first write",
                Duration.ofNanos(drill.writer().firstAfter(on).orElseThrow() - on),
                Duration.ofSeconds(60));
    }

    private static void equalData(ScenarioContext drill) throws Exception {
        long cut = drill.step("cut the power of both while nobody writes");
        drill.bothOffQuietly();
        drill.step("switch on node-0 alone");
        drill.powerOn("node-0");
        drill.awaitUp("node-0");
        drill.awaitAgent("node-0");
        drill.holdsInert("node-0", Duration.ofSeconds(20));
        drill.expect(
                drill.saysThatItWaits("node-0", WaitFor.PEER_RETURN),
                "the status says whom it waits for, not: " + drill.sentence("node-0"));
        long on = drill.step("switch on node-1");
        drill.powerOn("node-1");
        drill.awaitSettled();
        drill.awaitWrites();
        figureOfFirstWrite(drill, on);
        drill.expectNoFence();
        drill.expectNoTakeOver();
        drill.expectNothingSetAside(cut);
        drill.expectRestartsAtMost(0);
    }

    private static void differentData(ScenarioContext drill, String older, boolean asked)
            throws Exception {
        String newer = Pair.peerOf(older);
        drill.step("pull the plug of " + older);
        drill.plugOut(older);
        drill.awaitAlone(newer);
        drill.awaitWrites();
        drill.step("pull the plug of %s, which wrote alone".formatted(newer));
        drill.plugOut(newer);
        drill.lab().heal();
        long on = drill.step("switch on " + older);
        drill.powerOn(older);
        drill.awaitUp(older);
        drill.awaitAgent(older);
        drill.holdsInert(older, Duration.ofSeconds(10));
        if (asked) {
            drill.step("a person states that %s is off".formatted(newer));
            drill.confirmPeerOff(older);
            drill.holdsInert(older, Duration.ofSeconds(10));
            drill.expect(
                    drill.refuses(older, Refusal.WHO_SERVED_LAST),
                    "%s says why it refuses, not: %s".formatted(older, drill.sentence(older)));
        }
        long newerOn = drill.step("switch on " + newer);
        drill.powerOn(newer);
        drill.awaitSettled();
        drill.awaitWrites();
        figureOfFirstWrite(drill, newerOn);
        drill.expectNoTakeOver(on);
    }

    private static void oneReturns(ScenarioContext drill) throws Exception {
        drill.step("pull both plugs under load");
        Pair.NODES.forEach(drill::plugOut);
        drill.lab().heal();
        drill.step("switch on node-0");
        drill.powerOn("node-0");
        drill.awaitUp("node-0");
        drill.awaitAgent("node-0");
        drill.holdsInert("node-0", Duration.ofSeconds(15));
        drill.step("a person states that node-1 is off");
        drill.confirmPeerOff("node-0");
        drill.holdsInert("node-0", Duration.ofSeconds(10));
        long accepted = drill.step("the person accepts that node-1 may hold more");
        drill.confirmPeerOff("node-0", "--accept-loss");
        drill.awaitAlone("node-0");
        drill.figure(
                "acceptance to first write",
                Duration.ofNanos(drill.writer().firstAfter(accepted).orElseThrow() - accepted),
                Duration.ofSeconds(30));
        drill.step("node-1 returns after all");
        drill.powerOn("node-1");
        drill.awaitSettled();
    }
}
