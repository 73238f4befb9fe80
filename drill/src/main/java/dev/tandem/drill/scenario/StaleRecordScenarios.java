package dev.tandem.drill.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Epoch;
import dev.tandem.host.NodePaths;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.NetworkFault;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;

/** Records that a node should no longer believe, and messages that arrive late. */
final class StaleRecordScenarios {
    private static final String AGENT_STATE = NodePaths.AGENT_STATE.toString();
    private static final String NETWORK = "cluster0";

    private StaleRecordScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.slow(
                        "stale-marks",
                        "A claim and a receipt of an earlier boot lie on one node, then on the"
                            + " other, then on both; they are ignored, and both start on their own"
                            + " data.",
                        "TL39",
                        100,
                        StaleRecordScenarios::staleMarks),
                Scenario.slow(
                        "stale-departures",
                        "A departure that nobody asked for is written down on one node, then on"
                                + " both; both nodes become a pair again, and nothing is lost.",
                        "TL39",
                        80,
                        StaleRecordScenarios::staleDepartures),
                Scenario.slow(
                        "late-messages",
                        "Both boot in random order while what they tell each other comes late, one"
                                + " way or both; both start normally, and never only one.",
                        "TL38",
                        300,
                        StaleRecordScenarios::lateWords),
                Scenario.slow(
                        "late-messages-in-a-recovery",
                        "A node loses power while the network is slow, in both roles; there is one"
                                + " fence, one take-over and one history.",
                        "TL38",
                        120,
                        StaleRecordScenarios::lateWordsInARecovery));
    }

    private static void staleMarks(ScenarioContext drill) throws Exception {
        for (List<String> marked : List.of(List.of("node-1"), List.of("node-0"), Pair.NODES)) {
            long healed = bootWithMarks(drill, marked, StaleRecordScenarios::claimAndReceipt);
            drill.expectNoTakeOver(healed);
            drill.expectNothingSetAside(healed);
        }
        drill.expectNoFence();
    }

    /**
     * A departure is the node's own statement, and counts until the peer has released it or taken
     * it back. So the peer may begin a new epoch, without a fence.
     */
    private static void staleDepartures(ScenarioContext drill) throws Exception {
        for (List<String> marked : List.of(List.of("node-1"), Pair.NODES)) {
            var _ = bootWithMarks(drill, marked, StaleRecordScenarios::departure);
        }
        drill.expectNoFence();
    }

    /** Something in an agent's memory that was true once, or never. */
    private interface OldMark {
        void put(ObjectNode memory, String node);
    }

    /** Boots both into a cut network, changes what they remember, heals, and waits. */
    private static long bootWithMarks(ScenarioContext drill, List<String> marked, OldMark mark)
            throws Exception {
        drill.step("cut the power of both while nobody writes");
        drill.bothOffQuietly();
        drill.step("both boot into a cut network, and old marks are put on " + marked);
        drill.lab().split(NETWORK);
        Pair.NODES.forEach(drill::powerOn);
        for (String node : Pair.NODES) {
            drill.awaitUp(node);
            drill.awaitAgent(node);
        }
        for (String node : marked) {
            drill.must(node, "systemctl", "stop", "tandem-agent");
            ObjectNode memory = (ObjectNode) AgentJson.MAPPER.readTree(drill.pair().memory(node));
            mark.put(memory, node);
            drill.node(node)
                    .write(AGENT_STATE, "0600", AgentJson.MAPPER.writeValueAsString(memory) + "\n");
            drill.must(node, "systemctl", "start", "tandem-agent");
            drill.awaitAgent(node);
        }
        long healed = drill.step("heal");
        drill.lab().heal();
        drill.awaitSettled();
        drill.awaitWrites();
        return healed;
    }

    /** A claim to an epoch that never was, and a receipt about an earlier boot of the peer. */
    private static void claimAndReceipt(ObjectNode memory, String node) {
        BootId longAgo = new BootId("a-boot-long-ago");
        put(memory, "claim", new Claim.TakeOver(new Epoch(4711, new NodeName(node), longAgo, 1)));
        PeerProof receipt =
                new PeerProof.Fenced(
                        new NodeName(Pair.peerOf(node)),
                        longAgo,
                        "fence_tandem",
                        PowerReading.OFF,
                        Instant.parse("2020-01-01T00:00:00Z"));
        memory.putArray("proofs").add(AgentJson.MAPPER.<JsonNode>valueToTree(receipt));
    }

    private static void departure(ObjectNode memory, String node) {
        long next = memory.path("lastAbdication").asLong() + 1;
        put(memory, "abdication", new Abdication.Departure(next));
        memory.put("lastAbdication", next);
    }

    /** A field that the file does not have is no mark, and the drill would show nothing. */
    private static void put(ObjectNode memory, String field, Object value) {
        if (!memory.has(field)) {
            throw new IllegalStateException("an agent keeps no " + field + " in " + memory);
        }
        memory.set(field, AgentJson.MAPPER.<JsonNode>valueToTree(value));
    }

    private static void lateWords(ScenarioContext drill) throws Exception {
        Random random = new Random(38);
        for (int i = 1; i <= 6; i++) {
            drill.step("schedule %d: both lose power".formatted(i));
            Pair.NODES.forEach(node -> drill.node(node).cutPower());
            int way = random.nextInt(3);
            Duration late = Duration.ofMillis(random.nextInt(15_000));
            Duration apart = Duration.ofMillis(random.nextInt(5_000));
            String first = Pair.NODES.get(random.nextInt(2));
            drill.lab()
                    .inject(new NetworkFault.Delay(NETWORK, "node-1", 1 + random.nextInt(60), 0));
            drill.lab()
                    .inject(
                            new NetworkFault.Cut(
                                    NETWORK,
                                    way == 0 ? NetworkFault.ANYBODY : first,
                                    way == 0 ? NetworkFault.ANYBODY : Pair.peerOf(first),
                                    way != 2,
                                    List.of(NetworkFault.Port.parse("tcp/9443"))));
            long on =
                    drill.step(
                            "%s boots, the other %d ms later; messages arrive %d ms after that"
                                    .formatted(first, apart.toMillis(), late.toMillis()));
            drill.powerOn(first);
            drill.pause(apart);
            drill.powerOn(Pair.peerOf(first));
            drill.pause(late);
            drill.lab().heal();
            drill.awaitSettled();
            drill.awaitWrites();
            drill.figure(
                    "schedule %d: power on to first write".formatted(i),
                    Duration.ofNanos(drill.writer().firstAfter(on).orElseThrow() - on),
                    Duration.ofMinutes(2));
            drill.expectNoTakeOver(on);
        }
        drill.expectFencesAtMost(0);
    }

    private static void lateWordsInARecovery(ScenarioContext drill) {
        Random random = new Random(3838);
        for (String victim : Pair.NODES) {
            int millis = 20 + random.nextInt(80);
            drill.step("messages take %d ms each way".formatted(millis));
            drill.lab().inject(new NetworkFault.Delay(NETWORK, "node-1", millis, 0));
            drill.awaitWrites();
            long cut = drill.step("cut the power of " + victim);
            drill.node(victim).cutPower();
            drill.awaitAlone(Pair.peerOf(victim));
            drill.figureOfGap(
                    "power cut of %s to first write".formatted(victim),
                    cut,
                    Duration.ofSeconds(60));
            drill.awaitSettled();
            drill.expect(
                    drill.journal(Pair.peerOf(victim), JournalEvent.Fenced.class, cut).size() == 1,
                    "one fence of " + victim);
            drill.lab().heal();
        }
    }
}
