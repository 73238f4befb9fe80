package dev.tandem.drill.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.FormatVersion;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.OwnLog;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.testing.Sketch;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a node may set its data aside, by the journals of both. */
class ExpectationsTest {
    private static final JournalEvent SERVES =
            new JournalEvent.Serving(EtcdState.LEADING, Sketch.south("sole 1:9 leading").replica());

    private static final JournalEvent JOINS =
            new JournalEvent.Decided(
                    "north joins",
                    new Decision.JoinAsLearner(
                            new Offer.JoinToken(Sketch.NORTH, Sketch.NORTH_BOOT, 7),
                            Decision.DataStep.SET_ASIDE),
                    Sketch.situation(
                            "pair", "two 1:7", "sole 1:9 leading", "there known", "-", "start"),
                    new OwnLog.Untold());

    private static JournalLine at(long nanos, JournalEvent event) {
        return new JournalLine(FormatVersion.of(JournalLine.VERSION), Instant.EPOCH, nanos, event);
    }

    private static List<String> early(List<JournalLine> joiner, JournalLine... peer) {
        return Expectations.joinsWithoutAServer(joiner, List.of(peer));
    }

    @Test
    void aJoinBeforeThePeerServesIsFound() {
        assertThat(early(List.of(at(5, JOINS)), at(3, SERVES))).isEmpty();
        assertThat(early(List.of(at(5, JOINS)), at(6, SERVES))).hasSize(1);
        assertThat(early(List.of(at(5, JOINS)))).hasSize(1);
    }

    /** Not only the first. */
    @ParameterizedTest
    @CsvSource({"STOPPED", "EXITED", "TAKES_OVER"})
    void aLaterJoinIsFoundWhereThePeerServesNoMore(String how) {
        JournalEvent end =
                switch (how) {
                    case "STOPPED" -> new JournalEvent.EtcdStopped();
                    case "EXITED" -> new JournalEvent.EtcdExited(1, 1);
                    default ->
                            new JournalEvent.TakeOver(
                                    JournalEvent.TakeOver.Phase.STOPPING,
                                    new Epoch(3, Sketch.SOUTH, Sketch.SOUTH_BOOT, 9));
                };

        assertThat(early(List.of(at(5, JOINS), at(9, JOINS)), at(3, SERVES), at(7, end)))
                .hasSize(1);
        assertThat(
                        early(
                                List.of(at(5, JOINS), at(9, JOINS)),
                                at(3, SERVES),
                                at(7, end),
                                at(8, SERVES)))
                .isEmpty();
    }
}
