package dev.tandem.lab.drill;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.lab.LabStatus;
import dev.tandem.lab.failover.Pair;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The histories that a node began by force, by its own journal: each needs a proof that its peer
 * cannot act, and the peer's server must really have been down.
 */
record TakeOvers(String node, List<JsonNode> journal) {
    TakeOvers {
        journal = List.copyOf(journal);
    }

    /** Those before which the node knew of nothing that let it go on alone, in words. */
    List<String> withoutProof() {
        List<String> findings = new ArrayList<>();
        Optional<JsonNode> decision = Optional.empty();
        for (JsonNode line : journal) {
            if (line.path("event").asText().equals("decision")) {
                decision = Optional.of(line);
            } else if (isForced(line) && decision.filter(TakeOvers::isProven).isEmpty()) {
                findings.add(
                        "%s took over without proof: %s"
                                .formatted(
                                        node,
                                        decision.map(made -> made.path("sentence").asText())
                                                .orElse("no decision before it")));
            }
        }
        return findings;
    }

    private static boolean isForced(JsonNode line) {
        return line.path("event").asText().equals("take-over")
                && line.path("phase").asText().equals("forcing");
    }

    /** A receipt that read Off, a person's word, the peer's own, or a claim from one of these. */
    private static boolean isProven(JsonNode decision) {
        JsonNode situation = decision.path("situation");
        if (situation.path("mine").path("claim").path("is").asText().equals("TakeOver")) {
            return true;
        }
        for (JsonNode proof : situation.path("proofs")) {
            String kind = proof.path("is").asText();
            boolean reads = kind.equals("Fenced") || kind.equals("HeldOff");
            if (!reads || proof.path("observed").asText().equals("OFF")) {
                return true;
            }
        }
        return false;
    }

    /**
     * Those at which the peer's server was seen alive, whatever the journals say: it was the same
     * process before and after, or its node was frozen before and after.
     */
    List<String> besideALiveServer(List<HealthWatch.Sample> samples) {
        String peer = Pair.peerOf(node);
        List<HealthWatch.Sample> ofPeer =
                samples.stream().filter(sample -> sample.node().equals(peer)).toList();
        return journal.stream()
                .filter(TakeOvers::isForced)
                .map(line -> line.path("monotonicMicros").asLong() * 1000)
                .filter(at -> wasAlive(ofPeer, at))
                .map(_ -> "%s took over while the server of %s was alive".formatted(node, peer))
                .toList();
    }

    private static boolean wasAlive(List<HealthWatch.Sample> ofPeer, long at) {
        Optional<HealthWatch.Sample> before =
                ofPeer.stream().filter(s -> s.nanos() - at < 0).reduce((_, later) -> later);
        Optional<HealthWatch.Sample> after =
                ofPeer.stream().filter(s -> s.nanos() - at > 0).findFirst();
        return before.isPresent() && after.isPresent() && oneLife(before.get(), after.get());
    }

    private static boolean oneLife(HealthWatch.Sample before, HealthWatch.Sample after) {
        String frozen = LabStatus.State.FROZEN.name();
        return before.state().equals(frozen)
                ? after.state().equals(frozen)
                : before.process() != 0 && before.process() == after.process();
    }
}
