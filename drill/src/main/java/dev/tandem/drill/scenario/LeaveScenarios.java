package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.host.Commands;
import dev.tandem.host.NodePaths;
import dev.tandem.lab.pair.Pair;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Nodes leave cleanly, and come back. */
final class LeaveScenarios {
    private static final Duration SHUTDOWN = Duration.ofMinutes(2);

    /**
     * In it may be 20 s in which a departure waits for its answer: the peer leaves at the same
     * moment, and stops without one.
     */
    private static final Duration TWO_VOTERS = Duration.ofSeconds(60);

    private static final Duration STOP_GAP = Duration.ofSeconds(4);

    /** Some tenths of a second; 1.5 s were seen at a load of 20 on two cores. */
    private static final Duration REBOOT_GAP = Duration.ofSeconds(8);

    private LeaveScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "leader-reboots",
                        "The leader is rebooted cleanly; it hands leadership over, leaves,"
                                + " and comes back as a learner, and nobody is fenced.",
                        "TL4",
                        35,
                        drill -> reboots(drill, drill.leader())),
                Scenario.slow(
                        "follower-reboots",
                        "The follower is rebooted cleanly; the leader serves on alone until"
                                + " it is back.",
                        "TL4",
                        35,
                        drill -> reboots(drill, drill.follower())),
                Scenario.slow(
                        "both-reboot",
                        "Both nodes are rebooted cleanly at once; within a minute there are two"
                                + " voters again, and nobody was fenced.",
                        "TL14",
                        75,
                        LeaveScenarios::bothReboot),
                Scenario.slow(
                        "stop-after-join",
                        "A node is stopped cleanly the moment it has joined; writes"
                                + " pause for four seconds at most, and nobody takes over.",
                        "TL4",
                        120,
                        LeaveScenarios::stopAfterJoin),
                Scenario.slow(
                        "power-cut-while-leaving",
                        "A node that has recorded its departure loses power before it is"
                                + " gone; it is fenced like any other.",
                        "TL4",
                        45,
                        LeaveScenarios::powerCutWhileLeaving),
                Scenario.slow(
                        "both-shut-down",
                        "Both nodes are shut down, at the same moment and some seconds apart, and"
                                + " booted again; the one that left first never starts alone.",
                        "TL14",
                        260,
                        LeaveScenarios::bothShutDown),
                Scenario.slow(
                        "only-the-one-that-left-returns",
                        "One node is shut down, the other serves on and loses power; the one that"
                                + " left refuses to serve alone, and joins when the other is back.",
                        "TL14 TL15",
                        80,
                        LeaveScenarios::onlyTheOneThatLeftReturns),
                Scenario.slow(
                        "only-the-one-that-stayed-returns",
                        "After both were shut down one after the other, the one that stayed boots"
                            + " alone and serves once a person has stated that its peer is off.",
                        "TL5 TL14",
                        80,
                        LeaveScenarios::onlyTheOneThatStayedReturns),
                Scenario.slow(
                        "sole-voter-reboots",
                        "The only voter is rebooted while its peer is without power; it waits for"
                            + " the peer or a person, and then goes on with its own data, not by"
                            + " force.",
                        "TL5",
                        70,
                        LeaveScenarios::soleVoterReboots),
                Scenario.slow(
                        "standby",
                        "Each node is put in standby and taken back; it leaves and joins again as"
                                + " on a reboot.",
                        "TL42",
                        60,
                        LeaveScenarios::standby),
                Scenario.slow(
                        "disable-and-enable",
                        "etcd is disabled on both nodes at once and enabled again; both start on"
                                + " their own data, or one joins the other that stayed.",
                        "TL14 TL42",
                        45,
                        LeaveScenarios::disableAndEnable),
                Scenario.slow(
                        "maintenance",
                        "In maintenance mode Pacemaker does nothing; etcd serves on, and is"
                                + " restarted in place when it dies.",
                        "TL42",
                        30,
                        LeaveScenarios::maintenance));
    }

    private static void reboots(ScenarioContext drill, String node) {
        String stays = Pair.peerOf(node);
        boolean leads = drill.pair().leads(node);
        long asked = drill.step("reboot %s, which %s".formatted(node, leads ? "leads" : "follows"));
        drill.must(node, "systemctl", "reboot", "--no-block");
        drill.awaitAlone(stays);
        drill.figureOfGap("write gap of the leave", asked, Duration.ofSeconds(2));
        drill.step(stays + " serves alone");
        drill.expect(
                drill.happened(node, JournalEvent.DepartureAsked.class, asked),
                node + " wrote its departure down before it left");
        drill.awaitSettled();
        drill.judgedFigure(
                "longest write gap in all",
                drill.writer().longestGapSince(asked).length(),
                REBOOT_GAP);
        drill.expectNoFence();
        drill.expectNoTakeOver();
        drill.expect(
                !drill.happened(stays, JournalEvent.EtcdExited.class, asked),
                "etcd of " + stays + " was not restarted");
    }

    private static void bothReboot(ScenarioContext drill) {
        Map<String, String> boots =
                Pair.NODES.stream().collect(Collectors.toMap(node -> node, drill::boot));
        long asked = drill.step("reboot both nodes");
        Pair.NODES.forEach(node -> drill.must(node, "systemctl", "reboot", "--no-block"));
        drill.await(
                "both have booted",
                SHUTDOWN,
                () ->
                        boots.entrySet().stream()
                                .allMatch(boot ->
                                        isInAnotherBoot(drill, boot.getKey(), boot.getValue())));
        drill.awaitSettled();
        drill.judgedFigure(
                "reboot of both to two voters",
                Duration.ofNanos(System.nanoTime() - asked),
                TWO_VOTERS);
        drill.awaitWrites();
        drill.expectNoFence();
        drill.expectNoTakeOver();
    }

    /** Asked while it may be off. */
    private static boolean isInAnotherBoot(ScenarioContext drill, String node, String before) {
        Commands.Output boot =
                drill.node(node).run(ScenarioContext.SHORT, "cat", NodePaths.BOOT_ID.toString());
        return boot.ok() && !boot.out().strip().equals(before);
    }

    /** etcd refuses to remove a member while the others are connected for less than 5 s. */
    private static void stopAfterJoin(ScenarioContext drill) {
        for (String node : List.of("node-1", "node-0")) {
            String stays = Pair.peerOf(node);
            drill.step("put %s in standby and take it back".formatted(node));
            drill.must(stays, "pcs", "node", "standby", node);
            try {
                drill.awaitAlone(stays);
                drill.awaitWrites();
                drill.must(stays, "pcs", "node", "unstandby", node);
                drill.awaitSettled();
                long asked = drill.step("%s votes again, and is stopped".formatted(node));
                drill.must(stays, "pcs", "node", "standby", node);
                drill.awaitAlone(stays);
                drill.awaitWrites();
                drill.judgedFigure(
                        "write gap of the stop of " + node,
                        drill.writer().longestGapSince(asked).length(),
                        STOP_GAP);
            } finally {
                drill.must(stays, "pcs", "node", "unstandby", node);
            }
            drill.awaitSettled();
        }
        drill.expectNoFence();
        drill.expectNoTakeOver();
    }

    private static void powerCutWhileLeaving(ScenarioContext drill) {
        String victim = drill.follower();
        String stays = Pair.peerOf(victim);
        long asked = drill.step("stop etcd of " + victim + " cleanly");
        drill.must(stays, "pcs", "node", "standby", victim);
        drill.awaitEvent(
                victim, JournalEvent.DepartureAsked.class, asked, ScenarioContext.RECOVERY);
        drill.step("cut its power");
        drill.node(victim).cutPower();
        drill.awaitAlone(stays);
        drill.must(stays, "pcs", "node", "unstandby", victim);
        drill.awaitSettled();
        drill.expectFences(1);
    }

    private static void bothShutDown(ScenarioContext drill) throws Exception {
        for (int seconds : List.of(0, 1, 4, 12)) {
            long asked = drill.step("shut both down, %d s apart".formatted(seconds));
            drill.shutDown("node-1");
            drill.pause(Duration.ofSeconds(seconds));
            drill.shutDown("node-0");
            Pair.NODES.forEach(node -> drill.awaitOff(node, SHUTDOWN));
            long on = drill.step("switch both on");
            Pair.NODES.forEach(drill::powerOn);
            drill.awaitSettled();
            drill.awaitWrites();
            drill.figure(
                    "%d s apart: power on to first write".formatted(seconds),
                    Duration.ofNanos(drill.writer().firstAfter(on).orElseThrow() - on),
                    Duration.ofSeconds(60));
            for (String node : Pair.NODES) {
                drill.expect(
                        drill.journal(node, JournalEvent.EtcdExited.class, asked).size() <= 1,
                        "no panic loop on " + node);
            }
        }
        drill.expectNoFence();
    }

    /** Shuts {@code leaves} down cleanly and waits until the other serves alone. */
    private static void leave(ScenarioContext drill, String leaves) {
        drill.step("shut %s down".formatted(leaves));
        drill.shutDown(leaves);
        drill.awaitOff(leaves, SHUTDOWN);
        drill.awaitAlone(Pair.peerOf(leaves));
    }

    private static void onlyTheOneThatLeftReturns(ScenarioContext drill) throws Exception {
        leave(drill, "node-1");
        drill.awaitWrites();
        drill.step("pull the plug of node-0, which wrote alone");
        drill.plugOut("node-0");
        drill.lab().heal();
        drill.step("switch on node-1, which left");
        drill.powerOn("node-1");
        drill.awaitUp("node-1");
        drill.awaitAgent("node-1");
        drill.holdsInert("node-1", Duration.ofSeconds(10));
        drill.step("a person states that node-0 is off");
        drill.confirmPeerOff("node-1");
        drill.holdsInert("node-1", Duration.ofSeconds(10));
        long on = drill.step("switch on node-0");
        drill.powerOn("node-0");
        drill.awaitSettled();
        drill.awaitWrites();
        drill.expectNoTakeOver();
        drill.expectNoFence();
        drill.figure(
                "power on to first write",
                Duration.ofNanos(drill.writer().firstAfter(on).orElseThrow() - on),
                Duration.ofSeconds(60));
    }

    private static void onlyTheOneThatStayedReturns(ScenarioContext drill) throws Exception {
        leave(drill, "node-1");
        soleVoterShutsDown(drill, "shut node-0 down as well");
        soleVoterReturns(drill, "node-0");
    }

    /** Cleanly means that it was asked to end and did, not that it was killed in the end. */
    private static void soleVoterShutsDown(ScenarioContext drill, String step) {
        long asked = drill.step(step);
        drill.shutDown("node-0");
        drill.awaitEvent("node-0", JournalEvent.EtcdStopped.class, asked, Duration.ofSeconds(30));
        drill.figure(
                "shutdown to the end of etcd",
                Duration.ofNanos(System.nanoTime() - asked),
                Duration.ofSeconds(15));
        drill.awaitOff("node-0", SHUTDOWN);
    }

    private static void soleVoterReboots(ScenarioContext drill) throws Exception {
        drill.step("pull the plug of node-1");
        drill.plugOut("node-1");
        drill.awaitAlone("node-0");
        drill.awaitWrites();
        soleVoterShutsDown(drill, "shut down node-0, which wrote alone");
        soleVoterReturns(drill, "node-0");
    }

    /** It waits, goes on with its own data on a person's statement, and takes its peer back. */
    private static void soleVoterReturns(ScenarioContext drill, String node) throws Exception {
        long on = drill.step("switch on " + node);
        drill.powerOn(node);
        drill.awaitUp(node);
        drill.awaitAgent(node);
        drill.holdsInert(node, Duration.ofSeconds(15));
        long stated = drill.step("a person states that its peer is off");
        drill.confirmPeerOff(node);
        drill.awaitAlone(node);
        drill.figure(
                "statement to first write",
                Duration.ofNanos(drill.writer().firstAfter(stated).orElseThrow() - stated),
                Duration.ofSeconds(30));
        drill.expectNoTakeOver(on);
        drill.step("the peer is switched on");
        drill.plugIn(Pair.peerOf(node));
        drill.awaitSettled();
        drill.expectNoTakeOver(on);
    }

    private static void standby(ScenarioContext drill) {
        for (String node : Pair.NODES) {
            String stays = Pair.peerOf(node);
            long asked = drill.step("put %s in standby".formatted(node));
            drill.must(stays, "pcs", "node", "standby", node);
            drill.awaitAlone(stays);
            drill.figureOfGap("write gap of the leave of " + node, asked, Duration.ofSeconds(2));
            drill.awaitWrites();
            long back = drill.step("take %s back".formatted(node));
            drill.must(stays, "pcs", "node", "unstandby", node);
            drill.awaitSettled();
            drill.figure(
                    node + " votes again after",
                    Duration.ofNanos(System.nanoTime() - back),
                    Duration.ofSeconds(60));
        }
        drill.expectNoFence();
        drill.expectNoTakeOver();
    }

    private static void disableAndEnable(ScenarioContext drill) {
        drill.step("disable etcd on both");
        drill.must("node-0", "pcs", "resource", "disable", "etcd-clone");
        drill.await(
                "no etcd runs",
                ScenarioContext.RECOVERY,
                () -> Pair.NODES.stream().noneMatch(drill::runsEtcd));
        long enabled = drill.step("enable it again");
        drill.must("node-0", "pcs", "resource", "enable", "etcd-clone");
        drill.awaitSettled();
        drill.awaitWrites();
        drill.figure(
                "enabled to first write",
                Duration.ofNanos(drill.writer().firstAfter(enabled).orElseThrow() - enabled),
                Duration.ofSeconds(60));
        drill.expectNoFence();
    }

    private static void maintenance(ScenarioContext drill) {
        drill.step("maintenance begins");
        drill.must("node-0", "pcs", "property", "set", "maintenance-mode=true");
        drill.awaitWrites();
        long killed = drill.step("kill etcd of node-0");
        drill.node("node-0").kill("etcd", "KILL");
        drill.awaitEvent("node-0", JournalEvent.Serving.class, killed, ScenarioContext.RECOVERY);
        drill.awaitWrites();
        drill.step("maintenance ends");
        drill.must("node-0", "pcs", "property", "set", "maintenance-mode=false");
        drill.awaitSettled();
        drill.expectNoFence();
        drill.expectNoTakeOver();
        drill.expectNothingSetAside(killed);
    }
}
