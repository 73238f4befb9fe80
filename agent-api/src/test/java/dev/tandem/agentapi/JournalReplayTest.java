package dev.tandem.agentapi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.OwnLog;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.testing.Sketch;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JournalReplayTest {
    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05.678Z");
    private static final OwnLog.Read LOG = new OwnLog.Read(WholeLog.CAN_BE_COMMITTED, false);
    private static final Situation FENCED =
            Sketch.situation(
                    "pair", "two 1:7/5 leaderless", "two 1:7", "gone known", "fenced", "recover");
    private static final Situation SILENT =
            Sketch.situation(
                    "pair", "two 1:7/5 leaderless", "two 1:7", "gone known", "-", "recover");

    private static String line(Decision decision, Situation situation, OwnLog log) {
        return JournalLine.now(
                        TIME, new JournalEvent.Decided("as it was", decision, situation, log))
                .json();
    }

    private static JournalReplay replay(String... lines) {
        return JournalReplay.of(Arrays.stream(lines).map(JournalLine::parse).toList());
    }

    @Test
    void theSameDecisionIsTheSameWhateverItsSentenceWas() {
        JournalReplay replay =
                replay(
                        line(LOG.decide(FENCED), FENCED, LOG),
                        JournalLine.now(TIME, new JournalEvent.EtcdStopped()).json(),
                        line(LOG.decide(SILENT), SILENT, LOG));

        assertThat(replay).isEqualTo(new JournalReplay(3, 2, 2, List.of(), List.of()));
        assertThat(replay.agrees()).isTrue();
    }

    @Test
    void aDecisionThatDiffersIsShownWithBothSentences() {
        JournalReplay replay = replay(line(WaitFor.FENCING.decision(), FENCED, LOG));

        assertThat(replay.agrees()).isFalse();
        assertThat(replay.replayed()).isEqualTo(1);
        assertThat(replay.same()).isZero();
        assertThat(replay.differences())
                .singleElement()
                .satisfies(difference -> {
                    assertThat(difference.time()).contains(TIME);
                    assertThat(difference.then().sentence()).isEqualTo("as it was");
                    assertThat(difference.then().decision().toString())
                            .isEqualTo("{\"is\":\"Wait\",\"what\":\"FENCING\"}");
                    assertThat(difference.now())
                            .singleElement()
                            .satisfies(now -> {
                                assertThat(now.sentence()).startsWith("north takes over");
                                assertThat(now.decision().path("is").asText())
                                        .isEqualTo("StartAsSoleVoter");
                            });
                });
    }

    /** One detail is enough: the epoch that a take-over begins. */
    @Test
    void aDecisionThatDiffersOnlyInADetailDiffers() {
        String line = line(LOG.decide(FENCED), FENCED, LOG);
        String changed =
                line.replaceFirst(
                        "(\"is\":\"StartAsSoleVoter\".*?\"how\":\")TAKE_OVER",
                        "$1FINISH_TAKE_OVER");

        assertThat(changed).isNotEqualTo(line);
        assertThat(replay(changed).differences()).hasSize(1);
    }

    /** Of the first release, which did not write what the log held. */
    @Test
    void anOldLineIsReplayedWhereTheLogDoesNotMatter() {
        String waits = line(LOG.decide(SILENT), SILENT, new OwnLog.Untold());
        String takesOver = line(LOG.decide(FENCED), FENCED, new OwnLog.Untold());
        JournalReplay replay = replay(waits, takesOver);

        assertThat(waits).doesNotContain("\"log\"");
        assertThat(replay.same()).isEqualTo(1);
        assertThat(replay.differences()).isEmpty();
        assertThat(replay.notReplayed())
                .containsExactly(
                        new JournalReplay.NotReplayed(
                                Optional.of(TIME),
                                "decision",
                                "the line does not say what this node's log held, and the decision"
                                        + " depends on it"));
        assertThat(replay.agrees()).isFalse();
    }

    /** What stands in a line of a decision is replaced; nothing of it may pass for replayed. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    what                           | stands there          | is put there          | event
                    a decision of tomorrow         | "is":"Wait"           | "is":"Ponder"         | decision
                    a value of tomorrow            | "what":"FENCING"      | "what":"MOONRISE"     | decision
                    an occasion of tomorrow        | "is":"Recover"        | "is":"Whim"           | decision
                    a log of tomorrow              | CAN_BE_COMMITTED      | MAY_BE_COMMITTED      | decision
                    a situation that cannot be     | "met":true            | "met":"perhaps"       | decision
                    no proofs                      | "proofs":[],          | ``                    | decision
                    no situation                   | "situation":          | "mood":               | decision
                    a line of a later form         | "v":1                 | "v":2                 | decision
                    an event of tomorrow           | "event":"decision"    | "event":"judgement"   | judgement
                    no event                       | "event":"decision"    | "mood":"good"         | ``
                    a torn line                    | "proofs":[],          | "proofs":[,           | ``
                    """)
    void whatCannotBeReadIsCounted(String what, String stands, String put, String event) {
        String good = line(LOG.decide(SILENT), SILENT, LOG);
        assertThat(good).as(what).contains(stands);

        JournalReplay replay = replay(good.replace(stands, put), good);

        assertThat(replay.lines()).isEqualTo(2);
        assertThat(replay.replayed()).as("the line after it").isEqualTo(1);
        assertThat(replay.differences()).isEmpty();
        assertThat(replay.notReplayed())
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.event()).isEqualTo(event);
                    assertThat(line.why()).isNotBlank();
                });
        assertThat(replay.agrees()).isFalse();
    }

    @Test
    void aLineThatTheAgentCouldNotReadIsCounted() {
        JournalReplay replay = replay(JournalLine.asJson("{\"event\":\"deci"));

        assertThat(replay.notReplayed())
                .singleElement()
                .extracting(JournalReplay.NotReplayed::time)
                .isEqualTo(Optional.empty());
        assertThat(replay.agrees()).isFalse();
    }
}
