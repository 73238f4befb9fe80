package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.PeerChannelKind;
import dev.tandem.host.NodePaths;
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
    private static final String PLAN = NodePaths.PLAN.toString();

    /** 15 s until a server counts as hanging, and the limits of its end. */
    private static final Duration HELD_NOTICED = Duration.ofMinutes(2);

    private HangScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "etcd-hangs",
                        "etcd is suspended (SIGSTOP) on the leader and on the follower; each time"
                                + " it is killed within seconds and starts again on its own data.",
                        "TL18",
                        30,
                        HangScenarios::etcdHangs),
                Scenario.slow(
                        "etcd-hangs-and-goes-on",
                        "etcd and agent of the leader are suspended (SIGSTOP) and go on after a"
                                + " while; nobody took over, and nothing that was acknowledged is"
                                + " missing.",
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
                        "lone-etcd-cannot-be-ended",
                        "The plug of one node is out, and the kernel of the other holds etcd:"
                                + " nobody can fence the one that is left. Its status calls it an"
                                + " outage and says what a person has to do, and the pair is back"
                                + " when that is done.",
                        "TL18 TL46",
                        330,
                        HangScenarios::loneCannotBeEnded),
                Scenario.slow(
                        "node-frozen",
                        "A node freezes; it is fenced, and never goes on with what it was doing.",
                        "TL19",
                        60,
                        HangScenarios::nodeFrozen),
                Scenario.quick(
                        "agents-cut-off",
                        "The agents' port is cut and a node restarts; it comes back as a voter with"
                                + " messages over the cluster's attributes.",
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

    private static void etcdHangs(ScenarioContext drill) {
        for (String role : List.of("leader", "follower")) {
            String node = role.equals("leader") ? drill.leader() : drill.follower();
            long stopped = drill.step("suspend etcd of %s, the %s".formatted(node, role));
            drill.node(node).kill(ETCD, "STOP");
            drill.awaitEvent(node, JournalEvent.EtcdHung.class, stopped, ScenarioContext.RECOVERY);
            drill.awaitEvent(node, JournalEvent.Serving.class, stopped, ScenarioContext.RECOVERY);
            drill.awaitWrites();
            drill.figureOfGap(
                    "suspension of the %s to first write".formatted(role),
                    stopped,
                    Duration.ofSeconds(15));
            drill.expectNothingSetAside(stopped);
        }
        drill.expectNoFence();
        drill.expectNoTakeOver();
    }

    private static void hangsAndGoesOn(ScenarioContext drill) throws InterruptedException {
        String node = drill.leader();
        long stopped = drill.step("suspend etcd and the agent of " + node);
        drill.node(node).kill("java", "STOP");
        drill.node(node).kill(ETCD, "STOP");
        // Shorter than the watchdog of the agent, which would end it.
        drill.pause(Duration.ofSeconds(12));
        drill.expect(
                !drill.pair().is(Pair.peerOf(node), NodeHealth.ALONE),
                Pair.peerOf(node) + " does not go on alone without proof");
        drill.step("both go on");
        drill.node(node).kill(ETCD, "CONT");
        drill.node(node).kill("java", "CONT");
        drill.awaitSettled();
        drill.awaitWrites();
        drill.figureOfGap("suspension to first write", stopped, Duration.ofSeconds(40));
        drill.expectNoFence();
        drill.expectNoTakeOver();
    }

    private static void cannotBeEnded(ScenarioContext drill) {
        Pair.NODES.forEach(drill::bootsSlowly);
        String node = drill.follower();
        String survivor = Pair.peerOf(node);
        long held = drill.step("the kernel of %s holds etcd".formatted(node));
        drill.node(node).hold(ETCD);
        drill.awaitEvent(survivor, JournalEvent.Fenced.class, held, Duration.ofMinutes(3));
        drill.awaitAlone(survivor);
        drill.figureOfGap("hold to first write", held, Duration.ofSeconds(60));
        drill.awaitSettled();
        drill.awaitWrites();
        drill.expectFences(1);
        String stopped = drill.follower();
        String stays = Pair.peerOf(stopped);
        drill.step("the kernel of %s holds etcd, and Pacemaker is to stop it".formatted(stopped));
        long order = System.nanoTime();
        drill.node(stopped).hold(ETCD);
        drill.must(stays, "pcs", "node", "standby", stopped);
        drill.awaitEvent(stays, JournalEvent.Fenced.class, order, Duration.ofMinutes(3));
        drill.awaitAlone(stays);
        drill.figureOfGap("order to first write", order, Duration.ofMinutes(2));
        drill.must(stays, "pcs", "node", "unstandby", stopped);
        drill.awaitSettled();
        drill.expectFences(2);
        drill.expect(
                drill.journal(stopped, JournalEvent.EtcdStopped.class, order).isEmpty(),
                "%s never said that etcd had stopped".formatted(stopped));
    }

    private static void loneCannotBeEnded(ScenarioContext drill) {
        String left = drill.leader();
        String gone = Pair.peerOf(left);
        drill.step("pull the plug of " + gone);
        drill.plugOut(gone);
        drill.awaitAlone(left);
        drill.awaitWrites();
        long held = drill.cause("the kernel of %s, which is alone, holds etcd".formatted(left));
        drill.node(left).hold(ETCD);
        drill.awaitOrFind(
                "the status of %s does not call it serving, and names what a person does"
                        .formatted(left),
                held,
                HELD_NOTICED,
                () -> {
                    Observations.Told told = drill.told(left);
                    return told.exitCode() != 0
                            && told.status().health() != NodeHealth.ALONE
                            && told.namesARemedy();
                });
        drill.expect(
                drill.journal(left, JournalEvent.EtcdStopped.class, held).isEmpty(),
                "%s does not say that etcd has stopped".formatted(left));
        long on = drill.person("a person switches %s off and both on".formatted(left));
        drill.node(left).cutPower();
        drill.plugIn(gone);
        drill.powerOn(left);
        drill.awaitSettled();
        drill.awaitWrites();
        drill.expectNoTakeOver(on);
    }

    private static void nodeFrozen(ScenarioContext drill) {
        String node = drill.follower();
        String survivor = Pair.peerOf(node);
        long frozen = drill.step("freeze " + node);
        drill.node(node).freeze();
        drill.awaitEvent(survivor, JournalEvent.Fenced.class, frozen, ScenarioContext.RECOVERY);
        drill.awaitAlone(survivor);
        drill.figureOfGap("freeze to first write", frozen, Duration.ofSeconds(30));
        drill.awaitSettled();
        drill.expectFences(1);
    }

    private static void agentsCutOff(ScenarioContext drill) {
        drill.step("cut the agents' port");
        cut(drill, 9443);
        for (String node : Pair.NODES) {
            drill.await(
                    "the agent of " + node + " talks over the cluster's attributes",
                    ScenarioContext.RECOVERY,
                    () -> talksOver(drill, node, PeerChannelKind.CLUSTER_ATTRIBUTES));
        }
        long off = drill.step("shut node-1 down and switch it on again");
        drill.shutDown("node-1");
        drill.awaitOff("node-1", ScenarioContext.RECOVERY);
        drill.powerOn("node-1");
        drill.awaitUp("node-1");
        drill.awaitSettled();
        drill.figure(
                "restart to redundancy",
                Duration.ofNanos(System.nanoTime() - off),
                Duration.ofMinutes(2));
        drill.expect(
                talksOver(drill, "node-0", PeerChannelKind.CLUSTER_ATTRIBUTES),
                "the port is still cut");
        drill.step("the port is open again");
        drill.lab().heal();
        drill.await(
                "the agents talk over https again",
                ScenarioContext.RECOVERY,
                () ->
                        Pair.NODES.stream()
                                .allMatch(n -> talksOver(drill, n, PeerChannelKind.HTTPS)));
        drill.expectSwitchedOff(0);
    }

    private static boolean talksOver(ScenarioContext drill, String node, PeerChannelKind channel) {
        return drill.pair()
                .status(node)
                .filter(status -> status.agentsTalkOver() == channel)
                .isPresent();
    }

    private static void cut(ScenarioContext drill, int... ports) {
        drill.lab()
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

    private static void etcdPortsCut(ScenarioContext drill) {
        long cut = drill.step("cut etcd's ports between the nodes");
        cut(drill, 2379, 2380);
        drill.await(
                "one node serves alone",
                Duration.ofSeconds(90),
                () -> Pair.NODES.stream().anyMatch(n -> drill.pair().is(n, NodeHealth.ALONE)));
        drill.awaitWrites();
        drill.figureOfGap("cut to first write", cut, Duration.ofSeconds(60));
        drill.expectSetAsideOnlyWhileThePeerServes(cut);
        drill.step("the ports are open again");
        drill.lab().heal();
        drill.awaitSettled();
        drill.expectNoFence();
    }

    private static void bmcThatLies(ScenarioContext drill) throws Exception {
        drill.step("the BMC of node-1 says yes and does nothing");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS.withLies(true));
        long died = drill.step("the kernel of node-1 stops");
        drill.node("node-1").crash(LabRequest.CrashKind.PANIC);
        drill.awaitEvent("node-0", JournalEvent.FenceAnswered.class, died, Duration.ofMinutes(2));
        drill.holds(
                "node-0 does not go on alone",
                Duration.ofSeconds(20),
                () -> !drill.pair().is("node-0", NodeHealth.ALONE));
        drill.expectFences(0);
        drill.expectNoTakeOver();
        drill.step("the BMC does what it says");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        drill.await(
                "node-0 serves alone",
                Duration.ofMinutes(4),
                () -> drill.pair().is("node-0", NodeHealth.ALONE));
        drill.awaitSettled();
    }

    private static void loneStart(ScenarioContext drill) {
        drill.step("the plan lets a node start when its peer's BMC reads Off");
        plan(drill, "confirmed", "bmc-off");
        try {
            drill.step("pull the plug of node-1");
            drill.plugOut("node-1");
            drill.awaitAlone("node-0");
            long cut = drill.step("cut the power of node-0 and switch it on again");
            drill.node("node-0").cutPower();
            drill.powerOn("node-0");
            drill.await(
                    "node-0 serves alone",
                    Duration.ofMinutes(3),
                    () -> drill.pair().is("node-0", NodeHealth.ALONE));
            drill.awaitWrites();
            drill.expect(
                    drill.happened("node-0", JournalEvent.LoneStart.class, cut),
                    "node-0 started by what the BMC reads");
            drill.figure(
                    "power cut to first write",
                    Duration.ofNanos(drill.writer().firstAfter(cut).orElseThrow() - cut),
                    Duration.ofMinutes(2));
            drill.step("the plug of node-1 is in again");
            drill.plugIn("node-1");
            drill.awaitSettled();
        } finally {
            plan(drill, "bmc-off", "confirmed");
        }
        drill.awaitSettled();
    }

    private static void plan(ScenarioContext drill, String from, String to) {
        for (String node : Pair.NODES) {
            drill.must(
                    node,
                    "sed",
                    "-i",
                    "s/^loneStart: %s$/loneStart: %s/".formatted(from, to),
                    PLAN);
            // The power is cut soon, and what sed wrote is in memory only.
            drill.must(node, "sync", PLAN);
            drill.must(node, "systemctl", "restart", "tandem-agent");
        }
    }

    private static void corosyncKilled(ScenarioContext drill) {
        String node = drill.follower();
        String survivor = Pair.peerOf(node);
        long killed = drill.step("kill Corosync of " + node);
        drill.node(node).kill("corosync", "KILL");
        drill.awaitEvent(survivor, JournalEvent.Fenced.class, killed, ScenarioContext.RECOVERY);
        drill.awaitAlone(survivor);
        drill.figureOfGap("kill to first write", killed, Duration.ofSeconds(30));
        drill.awaitSettled();
        drill.expectFences(1);
    }
}
