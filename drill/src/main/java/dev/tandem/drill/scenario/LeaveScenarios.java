package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.lab.pair.Pair;
import java.time.Duration;
import java.util.List;

/** Nodes leave cleanly, and come back. */
final class LeaveScenarios {
    private static final Duration SHUTDOWN = Duration.ofMinutes(2);

    private LeaveScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "leader-reboots",
                        "The leader is rebooted cleanly; it hands leadership over, leaves,"
                                + " and comes back as a learner, and nobody is fenced.",
                        "TL4",
                        35,
                        stage -> reboots(stage, stage.leader())),
                Scenario.slow(
                        "follower-reboots",
                        "The follower is rebooted cleanly; the leader serves on alone until"
                                + " it is back.",
                        "TL4",
                        35,
                        stage -> reboots(stage, stage.follower())),
                Scenario.slow(
                        "power-cut-while-leaving",
                        "A node that has written its departure down loses power before it is let"
                                + " go; it is fenced like any other.",
                        "TL4",
                        45,
                        LeaveScenarios::powerCutWhileLeaving),
                Scenario.slow(
                        "both-shut-down",
                        "Both nodes are shut down, at the same moment and some seconds apart, and"
                                + " booted again; the one that left never seeds.",
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
                        "Each node is put on standby and taken back; it leaves and joins again as"
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
                        "Under maintenance Pacemaker keeps its hands off; etcd serves on, and is"
                                + " restarted in place when it dies.",
                        "TL42",
                        30,
                        LeaveScenarios::maintenance));
    }

    private static void reboots(ScenarioContext stage, String node) {
        String stays = Pair.peerOf(node);
        boolean leads = stage.pair().leads(node);
        long asked = stage.step("reboot %s, which %s".formatted(node, leads ? "leads" : "follows"));
        stage.must(node, "systemctl", "reboot", "--no-block");
        stage.awaitAlone(stays);
        stage.figureOfGap("write gap of the leave", asked, Duration.ofSeconds(2));
        stage.step(stays + " serves alone");
        stage.expect(
                stage.happened(node, JournalEvent.DepartureAsked.class, asked),
                node + " wrote its departure down before it left");
        stage.awaitSettled();
        stage.figureOfGap("longest write gap in all", asked, Duration.ofSeconds(2));
        stage.expectNoFence();
        stage.expectNoTakeOver();
        stage.expect(
                !stage.happened(stays, JournalEvent.EtcdExited.class, asked),
                "etcd of " + stays + " was not restarted");
    }

    private static void powerCutWhileLeaving(ScenarioContext stage) {
        String victim = stage.follower();
        String stays = Pair.peerOf(victim);
        long asked = stage.step("stop etcd of " + victim + " cleanly");
        stage.must(stays, "pcs", "node", "standby", victim);
        stage.awaitEvent(
                victim, JournalEvent.DepartureAsked.class, asked, ScenarioContext.RECOVERY);
        stage.step("cut its power");
        stage.node(victim).cutPower();
        stage.awaitAlone(stays);
        stage.must(stays, "pcs", "node", "unstandby", victim);
        stage.awaitSettled();
        stage.expectFences(1);
    }

    private static void bothShutDown(ScenarioContext stage) throws Exception {
        for (int seconds : List.of(0, 1, 4, 12)) {
            long asked = stage.step("shut both down, %d s apart".formatted(seconds));
            stage.shutDown("node-1");
            stage.pause(Duration.ofSeconds(seconds));
            stage.shutDown("node-0");
            Pair.NODES.forEach(node -> stage.awaitOff(node, SHUTDOWN));
            long on = stage.step("switch both on");
            Pair.NODES.forEach(stage::powerOn);
            stage.awaitSettled();
            stage.awaitWrites();
            stage.figure(
                    "%d s apart: power on to first write".formatted(seconds),
                    Duration.ofNanos(stage.writer().firstAfter(on).orElseThrow() - on),
                    Duration.ofSeconds(60));
            for (String node : Pair.NODES) {
                stage.expect(
                        stage.journal(node, JournalEvent.EtcdExited.class, asked).size() <= 1,
                        "no panic loop on " + node);
            }
        }
        stage.expectNoFence();
    }

    /** Shuts {@code leaves} down cleanly and waits until the other serves alone. */
    private static void leave(ScenarioContext stage, String leaves) {
        stage.step("shut %s down".formatted(leaves));
        stage.shutDown(leaves);
        stage.awaitOff(leaves, SHUTDOWN);
        stage.awaitAlone(Pair.peerOf(leaves));
    }

    private static void onlyTheOneThatLeftReturns(ScenarioContext stage) throws Exception {
        leave(stage, "node-1");
        stage.awaitWrites();
        stage.step("pull the plug of node-0, which wrote alone");
        stage.plugOut("node-0");
        stage.lab().heal();
        stage.step("switch on node-1, which left");
        stage.powerOn("node-1");
        stage.awaitUp("node-1");
        stage.awaitAgent("node-1");
        stage.holdsInert("node-1", Duration.ofSeconds(10));
        stage.step("a person states that node-0 is off");
        stage.confirmPeerOff("node-1");
        stage.holdsInert("node-1", Duration.ofSeconds(10));
        long on = stage.step("switch on node-0");
        stage.powerOn("node-0");
        stage.awaitSettled();
        stage.awaitWrites();
        stage.expectNoTakeOver();
        stage.expectNoFence();
        stage.figure(
                "power on to first write",
                Duration.ofNanos(stage.writer().firstAfter(on).orElseThrow() - on),
                Duration.ofSeconds(60));
    }

    private static void onlyTheOneThatStayedReturns(ScenarioContext stage) throws Exception {
        leave(stage, "node-1");
        soleVoterShutsDown(stage, "shut node-0 down as well");
        soleVoterReturns(stage, "node-0");
    }

    /** Cleanly means that it was asked to end and did, not that it was killed in the end. */
    private static void soleVoterShutsDown(ScenarioContext stage, String step) {
        long asked = stage.step(step);
        stage.shutDown("node-0");
        stage.awaitEvent("node-0", JournalEvent.EtcdStopped.class, asked, Duration.ofSeconds(30));
        stage.figure(
                "shutdown to the end of etcd",
                Duration.ofNanos(System.nanoTime() - asked),
                Duration.ofSeconds(15));
        stage.awaitOff("node-0", SHUTDOWN);
    }

    private static void soleVoterReboots(ScenarioContext stage) throws Exception {
        stage.step("pull the plug of node-1");
        stage.plugOut("node-1");
        stage.awaitAlone("node-0");
        stage.awaitWrites();
        soleVoterShutsDown(stage, "shut down node-0, which wrote alone");
        soleVoterReturns(stage, "node-0");
    }

    /** It waits, goes on with its own data at a person's word, and takes its peer back. */
    private static void soleVoterReturns(ScenarioContext stage, String node) throws Exception {
        long on = stage.step("switch on " + node);
        stage.powerOn(node);
        stage.awaitUp(node);
        stage.awaitAgent(node);
        stage.holdsInert(node, Duration.ofSeconds(15));
        long stated = stage.step("a person states that its peer is off");
        stage.confirmPeerOff(node);
        stage.awaitAlone(node);
        stage.figure(
                "statement to first write",
                Duration.ofNanos(stage.writer().firstAfter(stated).orElseThrow() - stated),
                Duration.ofSeconds(30));
        stage.expectNoTakeOver(on);
        stage.step("the peer is switched on");
        stage.plugIn(Pair.peerOf(node));
        stage.awaitSettled();
        stage.expectNoTakeOver(on);
    }

    private static void standby(ScenarioContext stage) {
        for (String node : Pair.NODES) {
            String stays = Pair.peerOf(node);
            long asked = stage.step("put %s on standby".formatted(node));
            stage.must(stays, "pcs", "node", "standby", node);
            stage.awaitAlone(stays);
            stage.figureOfGap("write gap of the leave of " + node, asked, Duration.ofSeconds(2));
            stage.awaitWrites();
            long back = stage.step("take %s back".formatted(node));
            stage.must(stays, "pcs", "node", "unstandby", node);
            stage.awaitSettled();
            stage.figure(
                    node + " votes again after",
                    Duration.ofNanos(System.nanoTime() - back),
                    Duration.ofSeconds(60));
        }
        stage.expectNoFence();
        stage.expectNoTakeOver();
    }

    private static void disableAndEnable(ScenarioContext stage) {
        stage.step("disable etcd on both");
        stage.must("node-0", "pcs", "resource", "disable", "etcd-clone");
        stage.await(
                "no etcd runs",
                ScenarioContext.RECOVERY,
                () -> Pair.NODES.stream().noneMatch(stage::runsEtcd));
        long enabled = stage.step("enable it again");
        stage.must("node-0", "pcs", "resource", "enable", "etcd-clone");
        stage.awaitSettled();
        stage.awaitWrites();
        stage.figure(
                "enabled to first write",
                Duration.ofNanos(stage.writer().firstAfter(enabled).orElseThrow() - enabled),
                Duration.ofSeconds(60));
        stage.expectNoFence();
    }

    private static void maintenance(ScenarioContext stage) {
        stage.step("maintenance begins");
        stage.must("node-0", "pcs", "property", "set", "maintenance-mode=true");
        stage.awaitWrites();
        long killed = stage.step("kill etcd of node-0");
        stage.node("node-0").kill("etcd", "KILL");
        stage.awaitEvent("node-0", JournalEvent.Serving.class, killed, ScenarioContext.RECOVERY);
        stage.awaitWrites();
        stage.step("maintenance ends");
        stage.must("node-0", "pcs", "property", "set", "maintenance-mode=false");
        stage.awaitSettled();
        stage.expectNoFence();
        stage.expectNoTakeOver();
        stage.expectNothingSetAside(killed);
    }
}
