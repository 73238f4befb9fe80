package dev.tandem.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.PeerProof.Fenced;
import dev.tandem.core.decision.PeerProof.HeldOff;
import dev.tandem.core.decision.PeerProof.Stated;
import dev.tandem.core.decision.PeerProof.Statement;
import dev.tandem.core.decision.PeerProof.Yielded;
import dev.tandem.core.decision.Proofs.Machine;
import dev.tandem.core.decision.Proofs.Order;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ProofsTest {
    private static final NodeName SOUTH = new NodeName("south");
    private static final BootId NORTH_BOOT = new BootId("n1");

    /** "-" stands for a peer that was not heard. */
    @ParameterizedTest(name = "ordered in {0}, answered in {1} {2}, {3}: {4}")
    @CsvSource({
        "b1, heard,   b1, THE_PEER, b1",
        "b1, heard,   b1, NOT_TOLD, -",
        "b1, greeted, b1, THE_PEER, b1",
        "b1, heard,   b1, ANOTHER,  -",
        "b1, heard,   b2, THE_PEER, -",
        "b1, greeted, b2, THE_PEER, -",
        "b1, unheard, -,  THE_PEER, -",
        "-,  heard,   b1, THE_PEER, -",
        "-,  greeted, b1, THE_PEER, -",
        "-,  unheard, -,  THE_PEER, -",
    })
    void aFenceSpeaksOfTheBootThatWasKnownWhenItWasOrdered(
            String ordered, String how, String known, Machine machine, String proven) {
        PeerView now =
                switch (how) {
                    case "heard" -> new PeerView.FactsKnown(facts(known));
                    case "greeted" -> new PeerView.BootKnown(new BootId(known));
                    default -> PeerView.unheard();
                };
        Optional<Fenced> proof =
                Proofs.ofFence(
                        new Order(SOUTH, boot(ordered)),
                        now,
                        machine,
                        "redfish",
                        PowerReading.OFF,
                        Instant.EPOCH);
        assertThat(proof.map(Fenced::peerBoot)).isEqualTo(boot(proven));
        proof.ifPresent(fenced ->
                assertThat(fenced)
                        .isEqualTo(
                                new Fenced(
                                        SOUTH,
                                        new BootId(known),
                                        "redfish",
                                        PowerReading.OFF,
                                        Instant.EPOCH)));
    }

    /** What is first heard later may be the very boot that it is about, and silence is none. */
    @ParameterizedTest(name = "ordered in {0}, heard in {1}: {2}")
    @CsvSource({
        "b1, b1, false",
        "b1, b2, true",
        "b1, -,  false",
        "-,  b1, false",
        "-,  -,  false",
    })
    void anOrderIsOvertakenByAnotherBootThatIsHeard(String ordered, String heard, boolean is) {
        assertThat(new Order(SOUTH, boot(ordered)).isOvertakenBy(new Order(SOUTH, boot(heard))))
                .isEqualTo(is);
    }

    /** What was read back is passed on, not judged: that is the decision's part. */
    @ParameterizedTest
    @EnumSource(PowerReading.class)
    void theReadingIsPassedOn(PowerReading reading) {
        assertThat(
                        Proofs.ofFence(
                                        new Order(SOUTH, boot("b1")),
                                        new PeerView.BootKnown(new BootId("b1")),
                                        Machine.THE_PEER,
                                        "redfish",
                                        reading,
                                        Instant.EPOCH)
                                .map(Fenced::observed))
                .contains(reading);
    }

    @ParameterizedTest(name = "ordered at {0}, last heard at {1}: {2}")
    @CsvSource({
        "7, 6, true",
        // The clock is coarser than what happens: of one moment nobody knows what came first.
        "7, 7, false",
        "6, 7, false",
        "0, 0, false",
        "9223372036854775807, 0, true",
    })
    void aRecordOfASecondLevelCountsOnlyIfItIsYoungerThanTheLastWord(
            long ordered, long lastHeard, boolean counts) {
        assertThat(
                        new LevelTwoRecord(
                                        ordered,
                                        Optional.empty(),
                                        false,
                                        LevelTwoRecord.Giver.THE_PEERS,
                                        new LevelTwoRecord.SinceBoot.At(lastHeard),
                                        new LevelTwoRecord.SinceBoot.Never())
                                .isOfLastHeardBoot())
                .isEqualTo(counts);
    }

    @ParameterizedTest(name = "{0}: stays after a sign of life {1}, after joining {2}")
    @CsvSource({
        "fenced,                    false, false",
        "fenced-unknown,            false, false",
        "held-off,                  false, false",
        "PEER_IS_OFF,               false, false",
        "PEER_IS_OFF_LOSS_ACCEPTED, false, false",
        "KEEP_PEERS_HISTORY,        true,  false",
        "departure,                 true,  true",
        "stand-down,                true,  true",
    })
    void everyProofHasItsEnd(String kind, boolean afterSignOfLife, boolean afterJoining) {
        List<PeerProof> one = List.of(proof(kind));
        assertThat(Proofs.afterSignOfLife(one)).isEqualTo(afterSignOfLife ? one : List.of());
        assertThat(Proofs.afterJoining(one)).isEqualTo(afterJoining ? one : List.of());
    }

    @Test
    void whatStaysKeepsItsOrder() {
        List<PeerProof> all = new ArrayList<>();
        for (String kind :
                List.of("departure", "fenced", "KEEP_PEERS_HISTORY", "held-off", "stand-down")) {
            all.add(proof(kind));
        }
        assertThat(Proofs.afterSignOfLife(all))
                .containsExactly(
                        proof("departure"), proof("KEEP_PEERS_HISTORY"), proof("stand-down"));
        assertThat(Proofs.afterJoining(all))
                .containsExactly(proof("departure"), proof("stand-down"));
        assertThat(Proofs.afterSignOfLife(List.of())).isEmpty();
        assertThat(Proofs.afterJoining(List.of())).isEmpty();
    }

    private static PeerProof proof(String kind) {
        return switch (kind) {
            case "fenced" -> fenced(PowerReading.OFF);
            case "fenced-unknown" -> fenced(PowerReading.UNKNOWN);
            case "held-off" -> new HeldOff(SOUTH, PowerReading.OFF, Instant.EPOCH);
            case "departure" -> new Yielded(new Abdication.Departure(1));
            case "stand-down" -> new Yielded(new Abdication.StandDown(2));
            default ->
                    new Stated(
                            Arrays.stream(Statement.values())
                                    .filter(statement -> statement.name().equals(kind))
                                    .findFirst()
                                    .orElseThrow(),
                            SOUTH,
                            new Incident(NORTH_BOOT, "b1", 1),
                            PowerReading.UNKNOWN,
                            "anna",
                            Instant.EPOCH);
        };
    }

    private static Fenced fenced(PowerReading observed) {
        return new Fenced(SOUTH, new BootId("b1"), "redfish", observed, Instant.EPOCH);
    }

    private static Optional<BootId> boot(String name) {
        return name.equals("-") ? Optional.empty() : Optional.of(new BootId(name));
    }

    private static NodeFacts facts(String boot) {
        return new NodeFacts(
                SOUTH,
                new BootId(boot),
                new Replica.Missing(),
                EtcdState.STOPPED,
                Abdication.none(),
                Claim.none(),
                0,
                Offer.none());
    }
}
