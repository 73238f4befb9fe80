package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.PeerChannel;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.NetworkFault;
import dev.tandem.redfishsim.BmcBehaviour;
import java.time.Duration;
import java.util.List;

/** Something lives and does not move, or lives and cannot be reached. */
final class HangScenarios {
    private static final String ETCD = "etcd";
    private static final String NETWORK = "cluster0";
    private static final String PLAN = "/etc/tandem/cluster.yaml";

    private HangScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "etcd-hangs",
                        "etcd is stopped on the leader and on the follower; each time it is killed"
                                + " within seconds and starts again on its own data.",
                        "TL18",
                        30,
                        HangScenarios::etcdHangs),
                Scenario.slow(
                        "etcd-hangs-and-goes-on",
                        "etcd and agent of the leader are stopped and go on after a while; nobody"
                                + " took over, and nothing that was acknowledged is missing.",
                        "TL18",
                        40,
                        HangScenarios::hangsAndGoesOn),
                Scenario.slow(
                        "etcd-cannot-be-ended",
                        "The kernel holds etcd, and not even SIGKILL ends it: while it serves, and"
                                + " then while Pacemaker stops it. Each time the node is fenced.",
                        "TL18 TL46",
                        150,
                        HangScenarios::cannotBeEnded),
                Scenario.slow(
                        "node-frozen",
                        "A node freezes; it is fenced, and never goes on with what it was doing.",
                        "TL19",
                        60,
                        HangScenarios::nodeFrozen),
                Scenario.quick(
                        "agents-cut-off",
                        "The agents' port is cut and a node restarts; it comes back as a voter with"
                                + " words over the cluster's attributes.",
                        "TL11",
                        60,
                        HangScenarios::agentsCutOff),
                Scenario.slow(
                        "etcd-ports-cut",
                        "Only etcd's ports are cut; one node stands down, the other takes over"
                                + " without a fence, and takes it back when they are open again.",
                        "TL11",
                        90,
                        HangScenarios::etcdPortsCut),
                Scenario.slow(
                        "bmc-that-lies",
                        "The BMC takes the order and leaves its node on; that is no fence, and"
                                + " nobody takes over until the BMC does what it says.",
                        "TL31",
                        120,
                        HangScenarios::bmcThatLies),
                Scenario.slow(
                        "lone-start-by-the-bmc",
                        "The only voter loses power while its peer is off; the plan lets it start"
                                + " when the peer's BMC has read Off for a while.",
                        "TL33",
                        150,
                        HangScenarios::loneStart),
                Scenario.slow(
                        "corosync-killed",
                        "Corosync dies on one node while etcd runs on there; the node is fenced"
                                + " before the other takes over.",
                        "TL45",
                        80,
                        HangScenarios::corosyncKilled));
    }

    private static void etcdHangs(ScenarioContext stage) {
        for (String role : List.of("leader", "follower")) {
            String node = role.equals("leader") ? stage.leader() : stage.follower();
            long stopped = stage.step("stop etcd of %s, the %s".formatted(node, role));
            stage.node(node).kill(ETCD, "STOP");
            stage.awaitEvent(node, JournalEvent.EtcdHung.class, stopped, ScenarioContext.RECOVERY);
            stage.awaitEvent(node, JournalEvent.Serving.class, stopped, ScenarioContext.RECOVERY);
            stage.awaitWrites();
            stage.figureOfGap(
                    "stop of the %s to first write".formatted(role),
                    stopped,
                    Duration.ofSeconds(15));
            stage.expectNothingSetAside(stopped);
        }
        stage.expectNoFence();
        stage.expectNoTakeOver();
    }

    private static void hangsAndGoesOn(ScenarioContext stage) throws InterruptedException {
        String node = stage.leader();
        long stopped = stage.step("stop etcd and the agent of " + node);
        stage.node(node).kill("java", "STOP");
        stage.node(node).kill(ETCD, "STOP");
        // Shorter than the watchdog of the agent, which would end it.
        stage.pause(Duration.ofSeconds(12));
        stage.expect(
                !stage.pair().is(Pair.peerOf(node), NodeHealth.ALONE),
                Pair.peerOf(node) + " does not go on alone without proof");
        stage.step("both go on");
        stage.node(node).kill(ETCD, "CONT");
        stage.node(node).kill("java", "CONT");
        stage.awaitSettled();
        stage.awaitWrites();
        stage.figureOfGap("stop to first write", stopped, Duration.ofSeconds(40));
        stage.expectNoFence();
        stage.expectNoTakeOver();
    }

    private static void cannotBeEnded(ScenarioContext stage) {
        String node = stage.follower();
        String survivor = Pair.peerOf(node);
        long held = stage.step("the kernel of %s holds etcd".formatted(node));
        stage.node(node).hold(ETCD);
        stage.awaitEvent(survivor, JournalEvent.Fenced.class, held, Duration.ofMinutes(3));
        stage.awaitAlone(survivor);
        stage.figureOfGap("hold to first write", held, Duration.ofSeconds(60));
        stage.awaitSettled();
        stage.awaitWrites();
        stage.expectFences(1);
        String stopped = stage.follower();
        String stays = Pair.peerOf(stopped);
        stage.step("the kernel of %s holds etcd, and Pacemaker is to stop it".formatted(stopped));
        long order = System.nanoTime();
        stage.node(stopped).hold(ETCD);
        stage.must(stays, "pcs", "node", "standby", stopped);
        stage.awaitEvent(stays, JournalEvent.Fenced.class, order, Duration.ofMinutes(3));
        stage.awaitAlone(stays);
        stage.figureOfGap("order to first write", order, Duration.ofMinutes(2));
        stage.must(stays, "pcs", "node", "unstandby", stopped);
        stage.awaitSettled();
        stage.expectFences(2);
        stage.expect(
                stage.journal(stopped, JournalEvent.EtcdStopped.class, order).isEmpty(),
                "%s never said that etcd had stopped".formatted(stopped));
    }

    private static void nodeFrozen(ScenarioContext stage) {
        String node = stage.follower();
        String survivor = Pair.peerOf(node);
        long frozen = stage.step("freeze " + node);
        stage.node(node).freeze();
        stage.awaitEvent(survivor, JournalEvent.Fenced.class, frozen, ScenarioContext.RECOVERY);
        stage.awaitAlone(survivor);
        stage.figureOfGap("freeze to first write", frozen, Duration.ofSeconds(30));
        stage.awaitSettled();
        stage.expectFences(1);
    }

    private static void agentsCutOff(ScenarioContext stage) {
        stage.step("cut the agents' port");
        cut(stage, 9443);
        for (String node : Pair.NODES) {
            stage.await(
                    "the agent of " + node + " talks over the cluster's attributes",
                    ScenarioContext.RECOVERY,
                    () -> talksOver(stage, node, PeerChannel.CLUSTER_ATTRIBUTES));
        }
        long off = stage.step("shut node-1 down and switch it on again");
        stage.shutDown("node-1");
        stage.awaitOff("node-1", ScenarioContext.RECOVERY);
        stage.powerOn("node-1");
        stage.awaitUp("node-1");
        stage.awaitSettled();
        stage.figure(
                "restart to redundancy",
                Duration.ofNanos(System.nanoTime() - off),
                Duration.ofMinutes(2));
        stage.expect(
                talksOver(stage, "node-0", PeerChannel.CLUSTER_ATTRIBUTES),
                "the port is still cut");
        stage.step("the port is open again");
        stage.lab().heal();
        stage.await(
                "the agents talk over https again",
                ScenarioContext.RECOVERY,
                () -> Pair.NODES.stream().allMatch(n -> talksOver(stage, n, PeerChannel.HTTPS)));
        stage.expectShots(0);
    }

    private static boolean talksOver(ScenarioContext stage, String node, PeerChannel channel) {
        return stage.pair()
                .status(node)
                .filter(status -> status.agentsTalkOver() == channel)
                .isPresent();
    }

    private static void cut(ScenarioContext stage, int... ports) {
        stage.lab()
                .inject(
                        new NetworkFault.Cut(
                                NETWORK,
                                "node-0",
                                "node-1",
                                true,
                                java.util.Arrays.stream(ports)
                                        .mapToObj(port -> NetworkFault.Port.parse("tcp/" + port))
                                        .toList()));
    }

    private static void etcdPortsCut(ScenarioContext stage) {
        long cut = stage.step("cut etcd's ports between the nodes");
        cut(stage, 2379, 2380);
        stage.await(
                "one node serves alone",
                Duration.ofSeconds(90),
                () -> Pair.NODES.stream().anyMatch(n -> stage.pair().is(n, NodeHealth.ALONE)));
        stage.awaitWrites();
        stage.figureOfGap("cut to first write", cut, Duration.ofSeconds(60));
        stage.expectSetAsideOnlyWhileThePeerServes(cut);
        stage.step("the ports are open again");
        stage.lab().heal();
        stage.awaitSettled();
        stage.expectNoFence();
    }

    private static void bmcThatLies(ScenarioContext stage) throws Exception {
        stage.step("the BMC of node-1 says yes and does nothing");
        stage.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS.withLies(true));
        long died = stage.step("the kernel of node-1 stops");
        stage.node("node-1").crash(LabRequest.CrashKind.PANIC);
        stage.awaitEvent("node-0", JournalEvent.FenceAnswered.class, died, Duration.ofMinutes(2));
        stage.holds(
                "node-0 does not go on alone",
                Duration.ofSeconds(20),
                () -> !stage.pair().is("node-0", NodeHealth.ALONE));
        stage.expectFences(0);
        stage.expectNoTakeOver();
        stage.step("the BMC does what it says");
        stage.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        stage.await(
                "node-0 serves alone",
                Duration.ofMinutes(4),
                () -> stage.pair().is("node-0", NodeHealth.ALONE));
        stage.awaitSettled();
    }

    private static void loneStart(ScenarioContext stage) {
        stage.step("the plan lets a node start when its peer's BMC reads Off");
        plan(stage, "confirmed", "bmc-off");
        try {
            stage.step("pull the plug of node-1");
            stage.plugOut("node-1");
            stage.awaitAlone("node-0");
            long cut = stage.step("cut the power of node-0 and switch it on again");
            stage.node("node-0").cutPower();
            stage.powerOn("node-0");
            stage.await(
                    "node-0 serves alone",
                    Duration.ofMinutes(3),
                    () -> stage.pair().is("node-0", NodeHealth.ALONE));
            stage.awaitWrites();
            stage.expect(
                    stage.happened("node-0", JournalEvent.LoneStart.class, cut),
                    "node-0 started by what the BMC reads");
            stage.figure(
                    "power cut to first write",
                    Duration.ofNanos(stage.writer().firstAfter(cut).orElseThrow() - cut),
                    Duration.ofMinutes(2));
            stage.step("the plug of node-1 is in again");
            stage.plugIn("node-1");
            stage.awaitSettled();
        } finally {
            plan(stage, "bmc-off", "confirmed");
        }
        stage.awaitSettled();
    }

    private static void plan(ScenarioContext stage, String from, String to) {
        for (String node : Pair.NODES) {
            stage.must(
                    node,
                    "sed",
                    "-i",
                    "s/^loneStart: %s$/loneStart: %s/".formatted(from, to),
                    PLAN);
            stage.must(node, "systemctl", "restart", "tandem-agent");
        }
    }

    private static void corosyncKilled(ScenarioContext stage) {
        String node = stage.follower();
        String survivor = Pair.peerOf(node);
        long killed = stage.step("kill Corosync of " + node);
        stage.node(node).kill("corosync", "KILL");
        stage.awaitEvent(survivor, JournalEvent.Fenced.class, killed, ScenarioContext.RECOVERY);
        stage.awaitAlone(survivor);
        stage.figureOfGap("kill to first write", killed, Duration.ofSeconds(30));
        stage.awaitSettled();
        stage.expectFences(1);
    }
}
