package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.Runbook;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.health.Impediment;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.NetworkFault;
import dev.tandem.redfishsim.BmcBehaviour;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The nodes live and cannot hear each other, or not well. */
final class SplitScenarios {
    /** The servers notice within 12 s; on a machine that is busy with all the rest, twice that. */
    private static final Duration PAUSE_OF_WRITES = Duration.ofSeconds(24);

    private static final String NETWORK = "cluster0";

    /** Longer than node-1 lets a peer without an agent go first. */
    private static final Duration BOTH_LEVELS = Duration.ofSeconds(45);

    private SplitScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "split",
                        "The cluster network is cut for a while; one node is fenced, the other"
                            + " serves, and the fenced one does nothing until the cut is healed.",
                        "TL9",
                        40,
                        drill -> split(drill, Duration.ZERO)),
                Scenario.slow(
                        "split-that-stays",
                        "The cut stays after the fenced node has booted; it is inert and fences"
                                + " nobody until the cut is healed.",
                        "TL10",
                        100,
                        drill -> split(drill, Duration.ofSeconds(60))),
                Scenario.slow(
                        "split-with-a-slow-bmc",
                        "The cluster network is cut while the BMCs take 15 s for each action; still"
                                + " only one node is fenced.",
                        "TL9",
                        80,
                        SplitScenarios::splitWithASlowBmc),
                Scenario.slow(
                        "preferred-node-isolated",
                        "Only node-0, which would survive a split, loses its cable; it waits, and"
                                + " node-1, which others can reach, fences it and serves.",
                        "TL9",
                        70,
                        SplitScenarios::preferredNodeIsolated),
                Scenario.slow(
                        "split-without-the-preferred-agent",
                        "The agent of node-0, which would survive a split, is down, and then the"
                            + " cluster network is cut: the slower second level of node-0 fences"
                            + " node-1, and node-1 waits for that. One node is switched off.",
                        "TL9 TL37",
                        120,
                        SplitScenarios::withoutThePreferredAgent),
                Scenario.slow(
                                "one-link-of-two-lost",
                                "Of two cluster networks each is cut in turn; nobody is fenced,"
                                        + " both nodes vote, and writes pause for some seconds.",
                                "TL12",
                                120,
                                SplitScenarios::oneLinkOfTwoLost)
                        .withTwoLinks(),
                Scenario.slow(
                        "one-way-loss",
                        "node-1 does not hear node-0 any more, but node-0 hears node-1; at most one"
                                + " is fenced.",
                        "TL12",
                        60,
                        drill ->
                                episode(
                                        drill,
                                        new NetworkFault.Cut(
                                                NETWORK, "node-0", "node-1", false, List.of()),
                                        Duration.ofSeconds(20))),
                Scenario.slow(
                        "flapping-network",
                        "The cluster network fails and returns every two seconds; at most one node"
                                + " is fenced.",
                        "TL12",
                        90,
                        SplitScenarios::flapping),
                Scenario.slow(
                        "packet-loss",
                        "The cluster network loses 30 % of the packets for a minute; there is no"
                                + " storm of restarts.",
                        "TL12",
                        90,
                        drill ->
                                episode(
                                        drill,
                                        new NetworkFault.Loss(NETWORK, "node-1", 30),
                                        Duration.ofSeconds(60))),
                Scenario.slow(
                        "slow-network",
                        "The cluster network has a round trip of half a second for a minute; there"
                                + " is no storm of restarts.",
                        "TL12",
                        90,
                        drill ->
                                episode(
                                        drill,
                                        new NetworkFault.Delay(NETWORK, "node-1", 250, 0),
                                        Duration.ofSeconds(60))));
    }

    private static void split(ScenarioContext drill, Duration stays) throws Exception {
        long cut = drill.step("cut the cluster network");
        clusterNetworks(drill).forEach(drill.lab()::split);
        drill.awaitAlone("node-0");
        drill.figureOfGap("split to first write", cut, Duration.ofSeconds(60));
        drill.awaitUp("node-1");
        drill.awaitAgent("node-1");
        if (stays.isPositive()) {
            drill.step("node-1 has booted into the cut");
            drill.holdsInert("node-1", stays);
            drill.expect(
                    drill.saysThatItWaits("node-1", WaitFor.PEER_RETURN),
                    "the status says whom it waits for, not: " + drill.sentence("node-1"));
        }
        drill.expect(!drill.pair().is("node-1", NodeHealth.ALONE), "node-1 does not serve");
        drill.step("heal");
        drill.lab().heal();
        drill.awaitSettled();
        oneShot(drill);
    }

    private static List<String> clusterNetworks(ScenarioContext drill) {
        return drill.lab().layout().networks().stream()
                .filter(network -> !network.fencing())
                .map(LabLayout.Network::name)
                .toList();
    }

    /**
     * Corosync goes on over the other link at once. etcd finds after 5 s that a connection is
     * silent, and needs 2 s more to try the dead address again; then its servers elect.
     */
    private static void oneLinkOfTwoLost(ScenarioContext drill) throws Exception {
        Map<String, String> boots =
                Pair.NODES.stream().collect(Collectors.toMap(node -> node, drill::boot));
        for (String network : clusterNetworks(drill)) {
            long cut = drill.step("cut " + network);
            drill.lab().split(network);
            // Before the servers have noticed, they say that all is well.
            drill.pause(Duration.ofSeconds(12));
            for (String node : Pair.NODES) {
                drill.awaitOrFind(
                        "the status of %s warns of the link".formatted(node),
                        cut,
                        ScenarioContext.WARNED,
                        () -> drill.told(node).warnsToRead(Runbook.LINK_DOWN));
            }
            long noticed = drill.step("the servers have noticed");
            // Not from the first look on: a busy machine may elect once more, or be slow to say so.
            drill.awaitHolding(
                    "both servers vote and serve over the other link, for 20 s on end",
                    Duration.ofSeconds(20),
                    ScenarioContext.RECOVERY,
                    () ->
                            drill.pair().isRedundant()
                                    && drill.writer().firstAfter(noticed).isPresent());
            drill.judgedFigure(
                    "pause of writes after the loss of " + network,
                    drill.writer().longestGapSince(cut).length(),
                    PAUSE_OF_WRITES);
            drill.step("heal " + network);
            drill.lab().heal(network);
            drill.awaitSettled();
        }
        drill.expectFences(0);
        drill.expectSwitchedOff(0);
        drill.expectRestartsAtMost(0);
        for (String node : Pair.NODES) {
            drill.expect(
                    drill.boot(node).equals(boots.get(node)), node + " is in the boot it was in");
            drill.expect(
                    drill.pair().members(node).stream()
                            .allMatch(member -> member.peerUrls().size() == 2),
                    "each member is listed under both links");
        }
    }

    /** It would fence at once, and keep what nobody can reach. */
    private static void preferredNodeIsolated(ScenarioContext drill) throws Exception {
        long out = drill.step("pull the cable of node-0 out of the switch");
        drill.lab().inject(new NetworkFault.Unplugged(NETWORK, "node-0"));
        drill.awaitAlone("node-1");
        drill.figureOfGap("isolation to first write", out, Duration.ofSeconds(60));
        drill.awaitUp("node-0");
        drill.awaitAgent("node-0");
        drill.step("node-0 has booted without its cable");
        drill.holdsInert("node-0", Duration.ofSeconds(20));
        drill.step("heal");
        drill.lab().heal();
        drill.awaitSettled();
        drill.expectFences(1);
        drill.expectSwitchedOff(1);
        drill.expect(
                drill.happened("node-1", JournalEvent.Fenced.class),
                "node-1 lives, and has node-0's receipt");
        drill.expect(
                !drill.happened("node-0", JournalEvent.SwitchedOff.class),
                "node-0 has switched nobody off");
    }

    private static void withoutThePreferredAgent(ScenarioContext drill) throws Exception {
        long down = drill.cause("stop the agent of node-0");
        String boot = drill.boot("node-0");
        drill.must("node-0", "systemctl", "stop", "tandem-agent");
        try {
            drill.awaitWarning(
                    "node-1", Impediment.Cause.PEER_AGENT_SILENT, down, ScenarioContext.WARNED);
            Pair.NODES.forEach(node ->
                    drill.node(node)
                            .bmcBehaves(
                                    BmcBehaviour.FAULTLESS.withOffLatency(
                                            Duration.ofMillis(1500))));
            drill.step("cut the cluster network");
            drill.lab().split(NETWORK);
            drill.await(
                    "a node is switched off",
                    ScenarioContext.RECOVERY,
                    () -> drill.switchedOff() > 0);
            drill.holds(
                    "one node is switched off, and node-0 lives",
                    BOTH_LEVELS,
                    () -> drill.switchedOff() == 1 && drill.boot("node-0").equals(boot));
        } finally {
            drill.must("node-0", "systemctl", "start", "tandem-agent");
        }
        drill.step("the agent of node-0 runs again");
        drill.awaitAlone("node-0");
        drill.awaitUp("node-1");
        drill.step("heal");
        drill.lab().heal();
        drill.awaitSettled();
        drill.expectSwitchedOff(1);
        drill.expect(drill.boot("node-0").equals(boot), "node-0 was never fenced");
    }

    /** node-0 is the preferred survivor: its killer waits. */
    private static void oneShot(ScenarioContext drill) {
        drill.expectFences(1);
        drill.expectSwitchedOff(1);
        drill.expect(
                drill.happened("node-0", JournalEvent.Fenced.class),
                "node-0 lives, and has node-1's receipt");
    }

    private static void splitWithASlowBmc(ScenarioContext drill) {
        drill.step("the plan says that the BMCs take 15 s to switch off");
        drill.apply("bmcOff: 15s");
        try {
            for (String node : Pair.NODES) {
                drill.node(node)
                        .bmcBehaves(
                                BmcBehaviour.FAULTLESS
                                        .withOffLatency(Duration.ofSeconds(15))
                                        .withOnLatency(Duration.ofSeconds(15)));
            }
            long cut = drill.step("cut the cluster network");
            drill.lab().split(NETWORK);
            drill.awaitAlone("node-0");
            drill.figureOfGap("split to first write", cut, Duration.ofSeconds(60));
            drill.awaitUp("node-1");
            drill.step("heal");
            drill.lab().heal();
            drill.awaitSettled();
            oneShot(drill);
        } finally {
            drill.apply("");
        }
    }

    private static void flapping(ScenarioContext drill) throws InterruptedException {
        drill.step("cut and heal the cluster network every 2 s");
        for (int i = 0; i < 10; i++) {
            drill.lab().split(NETWORK);
            drill.pause(Duration.ofSeconds(2));
            drill.lab().heal(NETWORK);
            drill.pause(Duration.ofSeconds(2));
        }
        drill.step("it is over");
        settles(drill);
    }

    private static void episode(ScenarioContext drill, NetworkFault fault, Duration time)
            throws InterruptedException {
        drill.step(fault.sentence());
        drill.lab().inject(fault);
        drill.pause(time);
        drill.step("heal");
        drill.lab().heal();
        settles(drill);
    }

    private static void settles(ScenarioContext drill) {
        drill.awaitSteady();
        drill.expectFencesAtMost(1);
        drill.expectRestartsAtMost(3);
    }
}
