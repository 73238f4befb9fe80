package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.host.Commands;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.redfishsim.BmcBehaviour;
import java.time.Duration;
import java.util.List;

/** The power button cannot be reached, is slow, or lies. */
final class BmcScenarios {
    /** The agents look at the BMCs four times a minute. */
    private static final Duration ALARM = Duration.ofMinutes(1);

    private BmcScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "bmc-without-a-key",
                        "The BMC refuses the password; the status says so before its node dies, and"
                                + " then nobody takes over until a person has seen the node off.",
                        "TL30",
                        60,
                        BmcScenarios::withoutAKey),
                Scenario.slow(
                        "bmc-repaired",
                        "The BMC cannot be reached when its node dies; once it can be reached again"
                                + " the node is fenced and the other takes over, without a person.",
                        "TL30",
                        150,
                        BmcScenarios::repaired),
                Scenario.slow(
                        "bmc-with-stale-readings",
                        "The BMC tells the power state of a moment ago: first On after its node"
                            + " died, and nobody takes over; then Off while its node lives, which"
                            + " no fence is believed by until the BMC tells the truth.",
                        "TL31",
                        150,
                        BmcScenarios::staleReadings),
                Scenario.slow(
                        "bmc-of-another-machine",
                        "A plan gives each node the BMC of the other; it is refused before anything"
                                + " is changed.",
                        "TL31b",
                        30,
                        BmcScenarios::ofAnotherMachine),
                Scenario.slow(
                        "returns-while-being-fenced",
                        "A node is back before its fence is done, by a quick reboot and by a healed"
                            + " network; it starts nothing until it was off, and is fenced once.",
                        "TL32",
                        150,
                        BmcScenarios::returnsWhileBeingFenced));
    }

    private static void withoutAKey(ScenarioContext stage) {
        misbehaves(
                stage,
                "the BMC of node-1 has another password now",
                BmcBehaviour.FAULTLESS.withCredentialsRotated(true));
        dies(stage);
        long stated = stage.step("a person states that node-1 is off");
        stage.confirmPeerOff("node-0");
        stage.awaitAlone("node-0");
        stage.figure(
                "statement to first write",
                Duration.ofNanos(stage.writer().firstAfter(stated).orElseThrow() - stated),
                Duration.ofSeconds(30));
        stage.step("the password is right again, and node-1 is switched on");
        stage.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        stage.powerOn("node-1");
        stage.awaitSettled();
    }

    private static void repaired(ScenarioContext stage) {
        misbehaves(
                stage,
                "the BMC of node-1 cannot be reached",
                BmcBehaviour.FAULTLESS.withReachability(BmcBehaviour.Reachability.SILENT));
        dies(stage);
        long mended = stage.step("the BMC can be reached again");
        stage.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        stage.await(
                "node-1 is fenced",
                Duration.ofMinutes(4),
                () -> stage.happened("node-0", JournalEvent.Fenced.class, mended));
        stage.awaitAlone("node-0");
        stage.figure(
                "repair to first write",
                Duration.ofNanos(stage.writer().firstAfter(mended).orElseThrow() - mended),
                Duration.ofSeconds(90));
        stage.awaitSettled();
        stage.expectFences(1);
    }

    private static void misbehaves(ScenarioContext stage, String what, BmcBehaviour behaviour) {
        long begun = stage.step(what);
        stage.node("node-1").bmcBehaves(behaviour);
        stage.await(
                "the status of node-0 shows the fault of node-1's BMC",
                ALARM,
                () -> hasFault(stage, "node-1"));
        stage.figure(
                "fault to alarm",
                Duration.ofNanos(System.nanoTime() - begun),
                Duration.ofMinutes(5));
    }

    private static boolean hasFault(ScenarioContext stage, String node) {
        return stage.pair().status("node-0").orElseThrow().fencing().stream()
                .anyMatch(line -> line.node().equals(node) && line.fault() != null);
    }

    /** The power of node-1 goes, fencing fails, and nothing is concluded from that. */
    private static void dies(ScenarioContext stage) {
        long cut = stage.step("cut the power of node-1");
        stage.node("node-1").cutPower();
        stage.awaitEvent("node-0", JournalEvent.FenceAnswered.class, cut, ScenarioContext.RECOVERY);
        stage.expect(stage.pair().is("node-0", NodeHealth.DOWN), "node-0 does not serve");
        stage.expect(stage.runsEtcd("node-0"), "etcd of node-0 is left up for stale reads");
        stage.expectFences(0);
        stage.expectNoTakeOver();
    }

    private static void staleReadings(ScenarioContext stage) throws Exception {
        stage.step("the BMC of node-1 reads On for ever");
        stage.node("node-1")
                .bmcBehaves(BmcBehaviour.FAULTLESS.withPowerStateAge(BmcBehaviour.FOREVER));
        dies(stage);
        stage.holds(
                "node-0 does not go on alone",
                Duration.ofSeconds(20),
                () -> !stage.pair().is("node-0", NodeHealth.ALONE));
        stage.expectFences(0);
        stage.step("the BMC tells the truth");
        stage.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        stage.await(
                "node-0 serves alone",
                Duration.ofMinutes(4),
                () -> stage.pair().is("node-0", NodeHealth.ALONE));
        stage.awaitSettled();
        stage.awaitWrites();
        stage.step("the BMC of node-1 reads Off for ever, from a moment when that was true");
        stage.node("node-1").cutPower();
        // What it reads is kept from the moment it begins to behave like this.
        stage.node("node-1")
                .bmcBehaves(
                        BmcBehaviour.FAULTLESS
                                .withPowerStateAge(BmcBehaviour.FOREVER)
                                .withOffLatency(Duration.ofSeconds(40)));
        stage.awaitAlone("node-0");
        stage.powerOn("node-1");
        stage.awaitSettled();
        stage.await(
                "the status of node-0 says that node-1 lives while its BMC reads Off",
                ALARM,
                () -> hasFault(stage, "node-1"));
        long stopped =
                stage.step(
                        "the kernel of node-1 stops; its power goes 40 s after the order to fence");
        stage.node("node-1").crash(LabRequest.CrashKind.PANIC);
        stage.awaitEvent(
                "node-0", JournalEvent.FenceAnswered.class, stopped, ScenarioContext.RECOVERY);
        stage.holds(
                "node-0 does not go on alone by that BMC's word",
                Duration.ofSeconds(15),
                () -> !stage.pair().is("node-0", NodeHealth.ALONE));
        stage.expectNoTakeOver(stopped);
        long truth = stage.step("the BMC tells the truth: node-1 was never switched off");
        stage.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        // Neither level was believed, so Pacemaker has not stopped trying.
        stage.awaitEvent("node-0", JournalEvent.Fenced.class, truth, Duration.ofMinutes(4));
        stage.awaitAlone("node-0");
        stage.awaitSettled();
    }

    private static void ofAnotherMachine(ScenarioContext stage) {
        stage.step("apply a plan in which the BMCs are exchanged");
        String plan = stage.must("node-0", "cat", "/root/site/plan.yaml");
        String first = stage.node("node-0").plan().bmcAddress().inUrl();
        String second = stage.node("node-1").plan().bmcAddress().inUrl();
        String exchanged = swap(swap(plan, first, second), "node-0.password", "node-1.password");
        stage.expect(!exchanged.equals(plan), "the plan names both BMCs");
        stage.node("node-0").write("/root/site/exchanged.yaml", "0600", exchanged);
        Commands.Output output =
                stage.node("node-0")
                        .run(
                                Duration.ofMinutes(2),
                                "tandem",
                                "cluster",
                                "apply",
                                "--yes",
                                "/root/site/exchanged.yaml");
        stage.expect(!output.ok(), "the plan is refused, not: " + output.out());
        for (String node : Pair.NODES) {
            stage.expect(
                    output.err().contains(stage.node(node).plan().uuid().toString()),
                    "the refusal names the machine and the one its BMC controls, not: "
                            + output.err());
        }
        stage.expect(
                stage.must("node-0", "cat", "/etc/tandem/cluster.yaml").indexOf(first)
                        < stage.must("node-0", "cat", "/etc/tandem/cluster.yaml").indexOf(second),
                "the plan in force is the old one");
        stage.awaitWrites();
        stage.expectNoFence();
    }

    private static String swap(String text, String one, String other) {
        return text.replace(one, "\0").replace(other, one).replace("\0", other);
    }

    private static void returnsWhileBeingFenced(ScenarioContext stage) throws Exception {
        stage.step("the plan says that the BMCs take 15 s to switch off");
        stage.apply("bmcOff: 15s");
        try {
            bothWaysToReturn(stage);
        } finally {
            stage.apply("");
        }
    }

    private static void bothWaysToReturn(ScenarioContext stage) throws Exception {
        BmcBehaviour slow = BmcBehaviour.FAULTLESS.withOffLatency(Duration.ofSeconds(15));
        stage.node("node-1").bmcBehaves(slow);
        long cut = stage.step("node-1 loses power for a moment; its BMC takes 15 s to switch off");
        stage.node("node-1").cutPower();
        stage.powerOn("node-1");
        startsNothingUntilShot(stage, cut);
        stage.awaitSettled();
        // It may have been heard in its new boot before it was switched off: then the fence proves
        // nothing, and the pair goes on when the node is back (ADR 18).
        stage.expectFencesAtMost(1);
        stage.expectShots(1);
        stage.awaitWrites();
        long split = stage.step("the cluster network is cut until the fence of node-1 is ordered");
        stage.lab().split("cluster0");
        stage.awaitEvent(
                "node-0", JournalEvent.FenceOrdered.class, split, ScenarioContext.RECOVERY);
        stage.lab().heal("cluster0");
        stage.step("the network is whole, and the fence under way");
        stage.awaitEvent("node-0", JournalEvent.Fenced.class, split, ScenarioContext.RECOVERY);
        stage.awaitAlone("node-0");
        stage.awaitCalm();
        // Every other time Pacemaker 3.0.0 turns the node away once when it comes back, and fences
        // it for that: ADR 13.
        stage.expectFencesAtMost(3);
        stage.expect(
                stage.journal("node-1", JournalEvent.Fenced.class, split).isEmpty(),
                "node-0 was never fenced");
    }

    private static void startsNothingUntilShot(ScenarioContext stage, long since) throws Exception {
        long end = System.nanoTime() + ScenarioContext.RECOVERY.toNanos();
        while (stage.shots() == 0 && System.nanoTime() - end < 0) {
            stage.expect(
                    stage.journal("node-1", JournalEvent.Serving.class, since).isEmpty(),
                    "node-1 serves nothing while it is being fenced");
            stage.pause(Duration.ofMillis(200));
        }
        stage.expect(stage.shots() == 1, "node-1 was switched off by node-0");
    }
}
