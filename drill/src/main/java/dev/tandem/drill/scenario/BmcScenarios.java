package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.core.health.Impediment;
import dev.tandem.host.Commands;
import dev.tandem.host.Deadline;
import dev.tandem.host.NodePaths;
import dev.tandem.lab.daemon.LabBmc;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcEvent;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** The power button cannot be reached, is slow, or lies. */
final class BmcScenarios {
    /** Until a status that has warned promises a recovery again. */
    static final Duration PROMISED_AGAIN = Duration.ofMinutes(1);

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static final String DROPS = "drill";

    private static final int CURL_TIMED_OUT = 28;

    private static final String EXCHANGED_PLAN = Pair.SITE + "exchanged.yaml";

    private BmcScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "bmc-refuses-the-password",
                        "The BMC refuses the password; the status says so before its node dies, and"
                                + " then nobody takes over until a person has seen the node off.",
                        "TL30",
                        60,
                        BmcScenarios::refusesThePassword),
                Scenario.slow(
                        "late-shot",
                        "An order to switch node-1 off waits for longer than its caller does, and"
                                + " nothing is switched when the caller has gone. Nor does an order"
                                + " without an end switch anything once node-1 has rebooted while"
                                + " it waited. An order in time is carried out.",
                        "TL32",
                        180,
                        BmcScenarios::lateShot),
                Scenario.slow(
                        "bmc-repaired",
                        "The BMC cannot be reached when its node dies; once it can be reached again"
                                + " the node is fenced and the other takes over, without a person.",
                        "TL30",
                        150,
                        BmcScenarios::repaired),
                Scenario.slow(
                        "one-way-bmc-silence",
                        "Only node-1 cannot reach the BMC of node-0; node-0 does not say that"
                                + " either node can fail. When it loses power, node-1 waits, names"
                                + " the cause, and takes over once the way is open.",
                        "TL30",
                        300,
                        BmcScenarios::oneWaySilence),
                Scenario.slow(
                        "bmc-with-stale-readings",
                        "The BMC reports an outdated power state: first On after its node died, and"
                            + " nobody takes over; then Off while its node is alive, and no fence"
                            + " through it counts until it reports the true state.",
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

    private static void refusesThePassword(ScenarioContext drill) {
        misbehaves(
                drill,
                "the BMC of node-1 has another password now",
                BmcBehaviour.FAULTLESS.withCredentialsRotated(true));
        dies(drill);
        long stated = drill.step("a person states that node-1 is off");
        drill.confirmPeerOff("node-0");
        drill.awaitAlone("node-0");
        drill.figure(
                "statement to first write",
                Duration.ofNanos(drill.writer().firstAfter(stated).orElseThrow() - stated),
                Duration.ofSeconds(30));
        drill.step("the password is right again, and node-1 is switched on");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        // Until then the agent would wait some minutes with the next login.
        Commands.Output set = drill.setBmcPassword("node-0", "node-1", LabBmc.passwordOf("node-1"));
        drill.expect(set.ok(), "the password is right: " + set.out() + set.err());
        drill.powerOn("node-1");
        drill.awaitSettled();
    }

    private static void lateShot(ScenarioContext drill) throws Exception {
        long ordered = drill.step("a caller orders node-1 off, and waits 2 s; the order waits 8 s");
        orderedByACallerWhoLeaves(drill, "--split-delay=8");
        drill.awaitEvent(
                "node-0", JournalEvent.FenceAnswered.class, ordered, ScenarioContext.RECOVERY);
        drill.holds(
                "node-1 is not switched off",
                Duration.ofSeconds(10),
                () -> drill.atBmcs(BmcEvent.Kind.RESET_REQUESTED).isEmpty());
        drill.expect(
                drill.journal("node-0", JournalEvent.FenceLapsed.class, ordered).stream()
                        .anyMatch(lapsed ->
                                lapsed.reason() == JournalEvent.FenceLapsed.Cause.EXPIRED),
                "the agent of node-0 tells why it switched nothing");
        drill.awaitWrites();
        String before = drill.boot("node-1");
        long again =
                drill.step(
                        "an order without an end waits 60 s, its caller is gone, and node-1, whose"
                                + " BMC reads On all the time, reboots meanwhile");
        // As that of a machine that reboots; the one of the lab would read Off for a moment, and
        // then nothing is waited for.
        drill.node("node-1")
                .bmcBehaves(BmcBehaviour.FAULTLESS.withPowerStateAge(BmcBehaviour.FOREVER));
        orderedWithoutAnEnd(drill, "split_delay=60");
        drill.must("node-1", "systemctl", "reboot", "--no-block");
        drill.awaitEvent(
                "node-1", JournalEvent.AgentStarted.class, again, ScenarioContext.RECOVERY);
        String returned = drill.boot("node-1");
        drill.expect(!returned.equals(before), "node-1 is in another boot");
        drill.awaitEvent("node-0", JournalEvent.FenceLapsed.class, again, ScenarioContext.RECOVERY);
        drill.holds(
                "node-1, which is back, is not switched off",
                Duration.ofSeconds(10),
                () ->
                        drill.atBmcs(BmcEvent.Kind.RESET_REQUESTED).isEmpty()
                                && drill.boot("node-1").equals(returned));
        List<JournalEvent.FenceLapsed.Cause> causes =
                drill.journal("node-0", JournalEvent.FenceLapsed.class, again).stream()
                        .map(JournalEvent.FenceLapsed::reason)
                        .toList();
        drill.expect(
                causes.equals(List.of(JournalEvent.FenceLapsed.Cause.OVERTAKEN)),
                "the agent of node-0 tells that the order was about an earlier boot, not "
                        + causes);
        drill.expect(
                !drill.happened("node-0", JournalEvent.FenceRenewed.class, again),
                "the order is not taken for one of the new boot");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        drill.awaitSettled();
        drill.expectNoFence();
        drill.awaitWrites();
        stopsAndIsFenced(drill, "node-1");
        drill.expectFences(1);
    }

    /** It waits 2 s. */
    private static void orderedByACallerWhoLeaves(ScenarioContext drill, String delay) {
        Commands.Output late =
                drill.node("node-0")
                        .run(
                                Duration.ofMinutes(1),
                                "fence_tandem",
                                "--action=off",
                                "--plug=node-1",
                                delay,
                                "--limit=2");
        drill.expect(!late.ok(), "its caller has given up: " + late.err());
    }

    /**
     * As by a program that is not Tandem's; it waits 2 s. One that says until when it waits would
     * be taken for an order of the new boot until then (ADR 28).
     */
    private static void orderedWithoutAnEnd(ScenarioContext drill, String delay) {
        Commands.Output asked =
                drill.node("node-0")
                        .run(
                                Duration.ofMinutes(1),
                                "curl",
                                "--silent",
                                "--max-time",
                                "2",
                                "--unix-socket",
                                AgentClient.SOCKET.toString(),
                                "--data-binary",
                                "plug=node-1\n" + delay + "\n",
                                "http://tandem/fence/off");
        drill.expect(asked.exitCode() == CURL_TIMED_OUT, "its caller has given up: " + asked.err());
    }

    /** The kernel of a node stops; its peer fences it, and goes on until it is back. */
    static void stopsAndIsFenced(ScenarioContext drill, String node) {
        String survivor = Pair.peerOf(node);
        long stopped = drill.step("the kernel of %s stops".formatted(node));
        drill.node(node).crash(LabRequest.CrashKind.PANIC);
        drill.awaitAlone(survivor);
        drill.expect(
                drill.happened(survivor, JournalEvent.Fenced.class, stopped),
                "%s has fenced %s".formatted(survivor, node));
        drill.awaitSettled();
        drill.awaitWrites();
    }

    private static void repaired(ScenarioContext drill) {
        misbehaves(
                drill,
                "the BMC of node-1 cannot be reached",
                BmcBehaviour.FAULTLESS.withReachability(BmcBehaviour.Reachability.SILENT));
        dies(drill);
        long mended = drill.step("the BMC can be reached again");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        drill.await(
                "node-1 is fenced",
                Duration.ofMinutes(4),
                () -> drill.happened("node-0", JournalEvent.Fenced.class, mended));
        drill.awaitAlone("node-0");
        drill.figure(
                "repair to first write",
                Duration.ofNanos(drill.writer().firstAfter(mended).orElseThrow() - mended),
                Duration.ofSeconds(90));
        drill.awaitSettled();
        drill.expectFences(1);
    }

    private static void oneWaySilence(ScenarioContext drill) throws Exception {
        long begun = drill.cause("node-1 alone cannot reach the BMC of node-0");
        try {
            drill.must("node-1", "nft", drops(drill));
            drill.awaitWarning(
                    "node-1", Impediment.Cause.BMC_UNREACHABLE, begun, ScenarioContext.WARNED);
            drill.await(
                    "a minute has passed",
                    MINUTE.plus(MINUTE),
                    () -> System.nanoTime() - begun > MINUTE.toNanos());
            drill.finds(
                    !drill.told("node-0").status().eitherNodeCanFail(),
                    "node-0, which its peer cannot fence, does not say that either node can fail: "
                            + drill.sentence("node-0"));
            long cut = drill.step("node-0 loses power");
            drill.node("node-0").cutPower();
            drill.awaitFirstLine(
                    "node-1", Impediment.Cause.BMC_UNREACHABLE, cut, ScenarioContext.WARNED);
            drill.holdsNoTakeOver(cut, ScenarioContext.SHORT);
        } finally {
            drill.person("the way to the BMC is open again");
            drill.must("node-1", "nft", "destroy", "table", "inet", DROPS);
        }
        long open = System.nanoTime();
        drill.awaitOrFind(
                "node-1 serves and a write is acknowledged",
                Duration.ofMinutes(4),
                () -> drill.writer().firstAfter(open).isPresent());
        drill.awaitSettled();
        drill.awaitWrites();
    }

    /** In node-1 itself: a cut of the switch would be one for both. */
    private static String drops(ScenarioContext drill) {
        return "table inet %s { chain out { type filter hook output priority 0; %s }; }"
                .formatted(
                        DROPS,
                        drill.node("node-0").plan().bmcAddresses().stream()
                                .map(bmc ->
                                        "%s daddr %s drop;"
                                                .formatted(bmc.isIpv6() ? "ip6" : "ip", bmc.ip()))
                                .collect(Collectors.joining(" ")));
    }

    static void misbehaves(ScenarioContext drill, String what, BmcBehaviour behaviour) {
        long begun = drill.step(what);
        drill.node("node-1").bmcBehaves(behaviour);
        // A look every 7 s, and a login of up to 6 s: on a busy machine the bound is no limit.
        drill.await(
                "the status of node-0 shows the fault of node-1's BMC",
                ScenarioContext.RECOVERY,
                () -> hasFault(drill, "node-1"));
        drill.figure(
                "fault to alarm",
                Duration.ofNanos(System.nanoTime() - begun),
                ScenarioContext.WARNED);
    }

    private static boolean hasFault(ScenarioContext drill, String node) {
        return drill.pair().status("node-0").orElseThrow().fencing().stream()
                .anyMatch(line -> line.node().equals(node) && line.fault() != null);
    }

    /** The power of node-1 goes, fencing fails, and nothing is concluded from that. */
    private static void dies(ScenarioContext drill) {
        long cut = drill.step("cut the power of node-1");
        drill.node("node-1").cutPower();
        drill.awaitEvent("node-0", JournalEvent.FenceAnswered.class, cut, ScenarioContext.RECOVERY);
        drill.expect(drill.pair().is("node-0", NodeHealth.DOWN), "node-0 does not serve");
        drill.expect(drill.runsEtcd("node-0"), "etcd of node-0 is left up for stale reads");
        drill.expectFences(0);
        drill.expectNoTakeOver();
    }

    private static void staleReadings(ScenarioContext drill) throws Exception {
        drill.step("the BMC of node-1 reads On forever");
        drill.node("node-1")
                .bmcBehaves(BmcBehaviour.FAULTLESS.withPowerStateAge(BmcBehaviour.FOREVER));
        dies(drill);
        drill.holds(
                "node-0 does not go on alone",
                Duration.ofSeconds(20),
                () -> !drill.pair().is("node-0", NodeHealth.ALONE));
        drill.expectFences(0);
        drill.step("the BMC tells the truth");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        drill.await(
                "node-0 serves alone",
                Duration.ofMinutes(4),
                () -> drill.pair().is("node-0", NodeHealth.ALONE));
        drill.awaitSettled();
        drill.awaitWrites();
        drill.step("the BMC of node-1 reads Off forever, from a moment when that was true");
        drill.node("node-1").cutPower();
        // What it reads is kept from the moment it begins to behave like this.
        drill.node("node-1")
                .bmcBehaves(
                        BmcBehaviour.FAULTLESS
                                .withPowerStateAge(BmcBehaviour.FOREVER)
                                .withOffLatency(Duration.ofSeconds(40)));
        drill.awaitAlone("node-0");
        drill.powerOn("node-1");
        drill.awaitSettled();
        drill.await(
                "the status of node-0 says that node-1 lives while its BMC reads Off",
                ScenarioContext.WARNED,
                () -> hasFault(drill, "node-1"));
        long stopped =
                drill.step(
                        "the kernel of node-1 stops; its power goes 40 s after the order to fence");
        drill.node("node-1").crash(LabRequest.CrashKind.PANIC);
        drill.awaitEvent(
                "node-0", JournalEvent.FenceAnswered.class, stopped, ScenarioContext.RECOVERY);
        drill.holds(
                "node-0 does not go on alone because of that reading",
                Duration.ofSeconds(15),
                () -> !drill.pair().is("node-0", NodeHealth.ALONE));
        drill.expectNoTakeOver(stopped);
        long truth = drill.step("the BMC tells the truth: node-1 was never switched off");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        // Neither level was believed, so Pacemaker has not stopped trying.
        drill.awaitEvent("node-0", JournalEvent.Fenced.class, truth, Duration.ofMinutes(4));
        drill.awaitAlone("node-0");
        drill.awaitSettled();
    }

    private static void ofAnotherMachine(ScenarioContext drill) {
        drill.step("apply a plan in which the BMCs are exchanged");
        String plan = drill.must("node-0", "cat", Pair.PLAN);
        String first = drill.node("node-0").plan().bmcAddress().inUrl();
        String second = drill.node("node-1").plan().bmcAddress().inUrl();
        String exchanged = swap(swap(plan, first, second), "node-0.password", "node-1.password");
        drill.expect(!exchanged.equals(plan), "the plan names both BMCs");
        drill.node("node-0").write(EXCHANGED_PLAN, "0600", exchanged);
        Commands.Output output =
                drill.node("node-0")
                        .run(
                                Duration.ofMinutes(2),
                                "tandem",
                                "cluster",
                                "apply",
                                "--yes",
                                EXCHANGED_PLAN);
        drill.expect(!output.ok(), "the plan is refused, not: " + output.out());
        for (String node : Pair.NODES) {
            drill.expect(
                    output.err().contains(drill.node(node).plan().uuid().toString()),
                    "the refusal names the machine and the one its BMC controls, not: "
                            + output.err());
        }
        drill.expect(
                drill.must("node-0", "cat", NodePaths.PLAN.toString()).indexOf(first)
                        < drill.must("node-0", "cat", NodePaths.PLAN.toString()).indexOf(second),
                "the plan in force is the old one");
        drill.awaitWrites();
        drill.expectNoFence();
    }

    private static String swap(String text, String one, String other) {
        return text.replace(one, "\0").replace(other, one).replace("\0", other);
    }

    private static void returnsWhileBeingFenced(ScenarioContext drill) throws Exception {
        drill.step("the plan says that the BMCs take 15 s to switch off");
        drill.apply("bmcOff: 15s");
        try {
            bothWaysToReturn(drill);
        } finally {
            drill.apply("");
        }
    }

    private static void bothWaysToReturn(ScenarioContext drill) throws Exception {
        BmcBehaviour slow = BmcBehaviour.FAULTLESS.withOffLatency(Duration.ofSeconds(15));
        drill.node("node-1").bmcBehaves(slow);
        long cut = drill.step("node-1 loses power for a moment; its BMC takes 15 s to switch off");
        drill.node("node-1").cutPower();
        drill.powerOn("node-1");
        startsNothingUntilSwitchedOff(drill, cut);
        drill.awaitSettled();
        // It may have been heard in its new boot before it was switched off: then the fence proves
        // nothing, and the pair goes on when the node is back (ADR 18).
        drill.expectFencesAtMost(1);
        drill.expectSwitchedOff(1);
        drill.awaitWrites();
        long split = drill.step("the cluster network is cut until the fence of node-1 is ordered");
        drill.lab().split("cluster0");
        drill.awaitEvent(
                "node-0", JournalEvent.FenceOrdered.class, split, ScenarioContext.RECOVERY);
        drill.lab().heal("cluster0");
        drill.step("the network is whole, and the fence under way");
        drill.awaitEvent("node-0", JournalEvent.Fenced.class, split, ScenarioContext.RECOVERY);
        drill.awaitAlone("node-0");
        drill.awaitSteady();
        // Every other time Pacemaker 3.0.0 turns the node away once when it comes back, and fences
        // it for that: ADR 13.
        drill.expectFencesAtMost(3);
        drill.expect(
                drill.journal("node-1", JournalEvent.Fenced.class, split).isEmpty(),
                "node-0 was never fenced");
    }

    private static void startsNothingUntilSwitchedOff(ScenarioContext drill, long since)
            throws Exception {
        Deadline deadline = Deadline.in(ScenarioContext.RECOVERY);
        while (drill.switchedOff() == 0 && !deadline.passed()) {
            drill.expect(
                    drill.journal("node-1", JournalEvent.Serving.class, since).isEmpty(),
                    "node-1 serves nothing while it is being fenced");
            drill.pause(Duration.ofMillis(200));
        }
        drill.expect(drill.switchedOff() == 1, "node-1 was switched off by node-0");
    }
}
