package dev.tandem.drill.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.AgentJson;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the audit says of take-overs that should not have been. */
class TakeOverAuditTest {
    private static final long AT = 5_000_000;
    private static final long NANOS = AT * 1000;
    private static final long SECOND = 1_000_000_000;

    private static final PowerRecord NOTHING =
            new PowerRecord(List.of(), List.of(), List.of(), List.of());

    private static TakeOverAudit after(String claim, String proofs) {
        return new TakeOverAudit(
                "node-0",
                Stream.of(
                                """
                                {"event":"decision","sentence":"node-0 takes over","situation":
                                {"mine":{"claim":{"is":"%s"}},"proofs":[%s]}}
                                """
                                        .formatted(claim, proofs),
                                "{\"event\":\"take-over\",\"phase\":\"stopping\"}",
                                """
                                {"event":"take-over","phase":"forcing","monotonicMicros":%d}
                                """
                                        .formatted(AT))
                        .map(TakeOverAuditTest::line)
                        .toList());
    }

    private static JsonNode line(String text) {
        try {
            return AgentJson.MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    None     | ``                                   | false
                    None     | `{"is":"Fenced","observed":"UNKNOWN"}` | false
                    None     | `{"is":"HeldOff","observed":"ON"}`   | false
                    None     | `{"is":"Fenced","observed":"OFF"}`   | true
                    None     | `{"is":"Stated"}`                    | true
                    None     | `{"is":"Yielded"}`                   | true
                    TakeOver | ``                                   | true
                    """)
    void aTakeOverNeedsAProof(String claim, String proofs, boolean proven) {
        assertThat(after(claim, proofs).withoutProof()).hasSize(proven ? 0 : 1);
    }

    /** How the peer was seen before and after the take-over: its state and its server's process. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    REDUNDANT | 41 | DOWN      | 41 | true
                    SILENT    | 41 | SILENT    | 41 | true
                    FROZEN    | 0  | FROZEN    | 0  | true
                    FROZEN    | 0  | OFF       | 0  | false
                    REDUNDANT | 41 | OFF       | 0  | false
                    REDUNDANT | 41 | LEARNING  | 57 | false
                    DOWN      | 0  | DOWN      | 0  | false
                    """)
    void theServerOfThePeerMustNotHaveLived(
            String before, long process, String after, long later, boolean lived) {
        List<HealthWatch.Sample> samples =
                List.of(
                        sample("node-1", AT * 1000 - 400, before, process),
                        sample("node-0", AT * 1000 - 1, "ALONE", 12),
                        sample("node-0", AT * 1000 + 1, "ALONE", 12),
                        sample("node-1", AT * 1000 + 600, after, later));

        assertThat(after("None", "").besideALiveServer(samples, NOTHING, ScenarioActs.NONE))
                .hasSize(lived ? 1 : 0);
    }

    private static HealthWatch.Sample sample(String node, long nanos, String state, long process) {
        return Samples.of(nanos, node, state, process != 0, process);
    }

    private static PowerRecord dark(String node, long from, long to) {
        return new PowerRecord(
                List.of(new PowerRecord.Dark(node, from, to)), List.of(), List.of(), List.of());
    }

    /** Seconds before the take-over: the last good word of the peer, and its time without power. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    3 | 2  | 1  | true
                    3 | 2  | -9 | true
                    3 | 4  | 1  | true
                    1 | 4  | 3  | false
                    3 | -1 | -9 | false
                    """)
    void thePeerMustHaveBeenWithoutPowerSinceItServed(
            long served, long from, long to, boolean fine) {
        List<HealthWatch.Sample> samples =
                List.of(
                        sample("node-1", NANOS - served * SECOND, "REDUNDANT", 41),
                        sample("node-1", NANOS - SECOND / 2, "DOWN", 41),
                        sample("node-1", NANOS + SECOND / 2, "DOWN", 41));

        assertThat(
                        after("None", "")
                                .withoutPowerLoss(
                                        samples,
                                        List.of(),
                                        dark("node-1", NANOS - from * SECOND, NANOS - to * SECOND),
                                        ScenarioActs.NONE,
                                        0))
                .hasSize(fine ? 0 : 1);
    }

    @Test
    void thePowerOfTheNodeItselfIsNoExcuse() {
        assertThat(
                        after("None", "")
                                .withoutPowerLoss(
                                        List.of(sample("node-1", 1, "REDUNDANT", 41)),
                                        List.of(),
                                        dark("node-0", 2, NANOS),
                                        ScenarioActs.NONE,
                                        0))
                .hasSize(1);
    }

    @Test
    void whoAcknowledgedAfterItsPowerWasBackHasServedSince() {
        PowerRecord lab = dark("node-1", NANOS - 4 * SECOND, NANOS - 3 * SECOND);

        assertThat(
                        after("None", "")
                                .withoutPowerLoss(List.of(), List.of(), lab, ScenarioActs.NONE, 0))
                .isEmpty();
        assertThat(
                        after("None", "")
                                .withoutPowerLoss(
                                        List.of(),
                                        List.of(NANOS - SECOND),
                                        lab,
                                        ScenarioActs.NONE,
                                        0))
                .hasSize(1);
    }

    /** How the peer was seen before and after: its server's process, and 0 for none. */
    @ParameterizedTest
    @CsvSource({"0, 0, true", "0, 57, true", "41, 0, true", "41, 57, true", "41, 41, false"})
    void whoEndedItsServerNeedsNoPowerLoss(long before, long later, boolean fine) {
        List<HealthWatch.Sample> samples =
                List.of(
                        sample("node-1", NANOS - SECOND / 2, "DOWN", before),
                        sample("node-1", NANOS + SECOND / 2, "DOWN", later));

        assertThat(
                        after("None", "")
                                .withoutPowerLoss(
                                        samples, List.of(), NOTHING, ScenarioActs.NONE, 0))
                .hasSize(fine ? 0 : 1);
    }

    @Test
    void aServerThatWasNotSeenHasNotEnded() {
        HealthWatch.Sample unseen = Samples.of(NANOS - 1, "node-1", "SILENT", true, 0);

        assertThat(
                        after("None", "")
                                .withoutPowerLoss(
                                        List.of(unseen), List.of(), NOTHING, ScenarioActs.NONE, 0))
                .hasSize(1);
    }

    /** The node whose BMC lied, the one whose BMC feigned, and when, before the take-over. */
    @ParameterizedTest
    @CsvSource({
        "node-1, node-1, 1, true",
        "node-0, node-1, 1, false",
        "node-1, node-0, 1, false",
        "node-1, node-1, -1, false",
    })
    void oneLieExcusesOneTakeOver(String lies, String feigns, long before, boolean excused) {
        PowerRecord lab =
                new PowerRecord(
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(new PowerRecord.Event(feigns, NANOS - before * SECOND)));
        ScenarioActs excuses =
                new ScenarioActs(
                        List.of(),
                        List.of(),
                        List.of(new ScenarioActs.Act(NANOS - 3 * SECOND, lies)));
        List<HealthWatch.Sample> samples =
                List.of(
                        sample("node-1", NANOS - SECOND, "REDUNDANT", 41),
                        sample("node-1", NANOS + SECOND, "DOWN", 41));
        TakeOverAudit once = after("None", "");
        TakeOverAudit twice =
                new TakeOverAudit(
                        "node-0",
                        Stream.concat(
                                        once.journal().stream(),
                                        Stream.of(
                                                line(
                                                        """
                                                        {"event":"take-over","phase":"forcing","monotonicMicros":%d}
                                                        """
                                                                .formatted(AT + 1))))
                                .toList());

        assertThat(once.withoutPowerLoss(samples, List.of(), lab, excuses, 0))
                .hasSize(excused ? 0 : 1);
        assertThat(once.besideALiveServer(samples, lab, excuses)).hasSize(excused ? 0 : 1);
        assertThat(twice.withoutPowerLoss(samples, List.of(), lab, excuses, 0))
                .hasSize(excused ? 1 : 2);
        assertThat(twice.besideALiveServer(samples, lab, excuses)).hasSize(excused ? 1 : 2);
    }

    @Test
    void aMomentThatIsNotKnownIsAFinding() {
        TakeOverAudit those =
                new TakeOverAudit(
                        "node-0", List.of(line("{\"event\":\"take-over\",\"phase\":\"forcing\"}")));

        assertThat(
                        those.withoutPowerLoss(
                                List.of(), List.of(), dark("node-1", 0, 1), ScenarioActs.NONE, 0))
                .contains("node-0 took over at a moment that is not known");
    }

    @Test
    void aLieIsToldOnceWhenItHasLastedTooLong() {
        HealthWatch.Lie lie = new HealthWatch.Lie(Duration.ofSeconds(3), "its server was down");

        assertThat(lie.take(true, at(1))).isEmpty();
        assertThat(lie.take(true, at(3))).isEmpty();
        assertThat(lie.take(false, at(4))).isEmpty();
        assertThat(lie.take(true, at(5))).isEmpty();
        assertThat(lie.take(true, at(9)))
                .hasValue(
                        "for more than 3 s node-0 has said \"all is well\" while its server was"
                                + " down");
        assertThat(lie.take(true, at(12))).isEmpty();
    }

    private static HealthWatch.Sample at(long second) {
        return Samples.of(Duration.ofSeconds(second).toNanos(), "node-0", "REDUNDANT", false, 0);
    }
}
