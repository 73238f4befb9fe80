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
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.NetworkFault;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;

/** What a node wrote down and should not believe any more, and words that come late. */
final class MarkScenarios {
    private static final String MEMORY = "/var/lib/tandem/memory.json";
    private static final String NETWORK = "cluster0";

    private MarkScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.slow(
                        "stale-marks",
                        "A claim and a receipt of an earlier boot lie on one node, then on the"
                            + " other, then on both; they are ignored, and both start on their own"
                            + " data.",
                        "TL39",
                        100,
                        MarkScenarios::staleMarks),
                Scenario.slow(
                        "stale-departures",
                        "A departure that nobody asked for is written down on one node, then on"
                                + " both; the pair finds together, and nothing is lost.",
                        "TL39",
                        80,
                        MarkScenarios::staleDepartures),
                Scenario.slow(
                        "late-words",
                        "Both boot in random order while what they tell each other comes late, one"
                                + " way or both; both start normally, and never only one.",
                        "TL38",
                        300,
                        MarkScenarios::lateWords),
                Scenario.slow(
                        "late-words-in-a-recovery",
                        "A node loses power while the network is slow, in both roles; there is one"
                                + " fence, one take-over and one history.",
                        "TL38",
                        120,
                        MarkScenarios::lateWordsInARecovery));
    }

    private static void staleMarks(ScenarioContext stage) throws Exception {
        for (List<String> marked : List.of(List.of("node-1"), List.of("node-0"), Pair.NODES)) {
            long healed = bootWithMarks(stage, marked, MarkScenarios::claimAndReceipt);
            stage.expectNoTakeOver(healed);
            stage.expectNothingSetAside(healed);
        }
        stage.expectNoFence();
    }

    /**
     * A departure is no hearsay: it is the node's own word, and counts until the peer has released
     * it or taken it back. So the peer may begin a new epoch, without a fence.
     */
    private static void staleDepartures(ScenarioContext stage) throws Exception {
        for (List<String> marked : List.of(List.of("node-1"), Pair.NODES)) {
            var _ = bootWithMarks(stage, marked, MarkScenarios::departure);
        }
        stage.expectNoFence();
    }

    /** Something in an agent's memory that was true once, or never. */
    private interface OldMark {
        void put(ObjectNode memory, String node);
    }

    /** Boots both into a cut network, changes what they remember, heals, and waits. */
    private static long bootWithMarks(ScenarioContext stage, List<String> marked, OldMark mark)
            throws Exception {
        stage.step("cut the power of both while nobody writes");
        stage.bothOffQuietly();
        stage.step("both boot into a cut network, and old marks are put on " + marked);
        stage.lab().split(NETWORK);
        Pair.NODES.forEach(stage::powerOn);
        for (String node : Pair.NODES) {
            stage.awaitUp(node);
            stage.awaitAgent(node);
        }
        for (String node : marked) {
            stage.must(node, "systemctl", "stop", "tandem-agent");
            ObjectNode memory = (ObjectNode) AgentJson.MAPPER.readTree(stage.pair().memory(node));
            mark.put(memory, node);
            stage.node(node)
                    .write(MEMORY, "0600", AgentJson.MAPPER.writeValueAsString(memory) + "\n");
            stage.must(node, "systemctl", "start", "tandem-agent");
            stage.awaitAgent(node);
        }
        long healed = stage.step("heal");
        stage.lab().heal();
        stage.awaitSettled();
        stage.awaitWrites();
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

    private static void lateWords(ScenarioContext stage) throws Exception {
        Random random = new Random(38);
        for (int i = 1; i <= 6; i++) {
            stage.step("schedule %d: both lose power".formatted(i));
            Pair.NODES.forEach(node -> stage.node(node).cutPower());
            int way = random.nextInt(3);
            Duration late = Duration.ofMillis(random.nextInt(15_000));
            Duration apart = Duration.ofMillis(random.nextInt(5_000));
            String first = Pair.NODES.get(random.nextInt(2));
            stage.lab()
                    .inject(new NetworkFault.Delay(NETWORK, "node-1", 1 + random.nextInt(60), 0));
            stage.lab()
                    .inject(
                            new NetworkFault.Cut(
                                    NETWORK,
                                    way == 0 ? NetworkFault.ANYBODY : first,
                                    way == 0 ? NetworkFault.ANYBODY : Pair.peerOf(first),
                                    way != 2,
                                    List.of(NetworkFault.Port.parse("tcp/9443"))));
            long on =
                    stage.step(
                            "%s boots, the other %d ms later; words come through %d ms after that"
                                    .formatted(first, apart.toMillis(), late.toMillis()));
            stage.powerOn(first);
            stage.pause(apart);
            stage.powerOn(Pair.peerOf(first));
            stage.pause(late);
            stage.lab().heal();
            stage.awaitSettled();
            stage.awaitWrites();
            stage.figure(
                    "schedule %d: power on to first write".formatted(i),
                    Duration.ofNanos(stage.writer().firstAfter(on).orElseThrow() - on),
                    Duration.ofMinutes(2));
            stage.expectNoTakeOver(on);
        }
        stage.expectFencesAtMost(0);
    }

    private static void lateWordsInARecovery(ScenarioContext stage) {
        Random random = new Random(3838);
        for (String victim : Pair.NODES) {
            int millis = 20 + random.nextInt(80);
            stage.step("words take %d ms each way".formatted(millis));
            stage.lab().inject(new NetworkFault.Delay(NETWORK, "node-1", millis, 0));
            stage.awaitWrites();
            long cut = stage.step("cut the power of " + victim);
            stage.node(victim).cutPower();
            stage.awaitAlone(Pair.peerOf(victim));
            stage.figureOfGap(
                    "power cut of %s to first write".formatted(victim),
                    cut,
                    Duration.ofSeconds(60));
            stage.awaitSettled();
            stage.expect(
                    stage.journal(Pair.peerOf(victim), JournalEvent.Fenced.class, cut).size() == 1,
                    "one fence of " + victim);
            stage.lab().heal();
        }
    }
}
