package dev.tandem.lab.drill;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agent.AgentJson;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the audit says of take-overs that should not have been. */
class TakeOversTest {
    private static final long AT = 5_000_000;

    private static TakeOvers after(String claim, String proofs) {
        return new TakeOvers(
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
                        .map(TakeOversTest::line)
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

        assertThat(after("None", "").besideALiveServer(samples)).hasSize(lived ? 1 : 0);
    }

    private static HealthWatch.Sample sample(String node, long nanos, String state, long process) {
        return new HealthWatch.Sample(nanos, node, state, "", process != 0, process);
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
        return new HealthWatch.Sample(
                Duration.ofSeconds(second).toNanos(),
                "node-0",
                "REDUNDANT",
                "all is well",
                false,
                0);
    }
}
