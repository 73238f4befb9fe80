package dev.tandem.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.JournalReplay;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.OwnLog;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.testing.Sketch;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The decisions of a journal, taken again. */
class ReplayTextTest {
    private static final OwnLog.Read LOG = new OwnLog.Read(WholeLog.CAN_BE_COMMITTED, false);
    private static final Situation FENCED =
            Sketch.situation(
                    "pair", "two 1:7/5 leaderless", "two 1:7", "gone known", "fenced", "recover");
    private static final String TORN = "{\"event\":\"torn-line\"}";

    private static String line(String time, Decision decision) {
        return JournalLine.now(
                        Instant.parse(time),
                        new JournalEvent.Decided("south is silent", decision, FENCED, LOG))
                .json();
    }

    private static final String SAME = line("2026-01-02T03:04:05Z", LOG.decide(FENCED));
    private static final String OTHER = line("2026-01-02T03:04:06.5Z", WaitFor.FENCING.decision());

    private static String text(String... lines) {
        return ReplayText.of(
                JournalReplay.of(Arrays.stream(lines).map(JournalLine::parse).toList()));
    }

    @Test
    void theResultIsFirstAndEachFindingHasItsReason() {
        assertThat(text(SAME))
                .isEqualTo(
                        "1 decision replayed from the last 1 line of the journal: 1 the same, 0"
                                + " different; 0 lines could not be replayed\n");
        assertThat(text(SAME, OTHER, TORN).lines())
                .startsWith(
                        "2 decisions replayed from the last 3 lines of the journal: 1 the same, 1"
                                + " different; 1 line could not be replayed",
                        "",
                        "2026-01-02 03:04:06.500  decided differently",
                        "    then:          south is silent",
                        "    this version:  north takes over: sole voter, whole log kept, new"
                                + " epoch",
                        "")
                .last()
                .asString()
                .startsWith("time unknown  not replayed (torn-line): ");
    }

    /** Else both would read the same. */
    @Test
    void decisionsWithTheSameSentenceAreToldInFull() {
        String finishes =
                SAME.replaceFirst(
                                "(\"is\":\"StartAsSoleVoter\".*?\"how\":\")TAKE_OVER",
                                "$1FINISH_TAKE_OVER")
                        .replace(
                                "south is silent",
                                "north takes over: sole voter, whole log kept, new epoch");

        assertThat(text(finishes))
                .contains("\"how\":\"FINISH_TAKE_OVER\"}\n")
                .contains("\"how\":\"TAKE_OVER\"}\n");
    }

    @Test
    void aTornEntryIsLeftOutOnlyWhereTheNextOneIsTooOld() throws IOException {
        List<JsonNode> journal =
                new JsonMapper()
                        .readTree("[" + String.join(",", TORN, SAME, TORN, OTHER, TORN) + "]")
                        .valueStream()
                        .toList();

        assertThat(ExplainCommand.since(Instant.parse("2026-01-02T03:04:06Z"), journal))
                .isEqualTo(journal.subList(2, 5));
        assertThat(ExplainCommand.since(Instant.parse("2026-01-03T00:00:00Z"), journal))
                .isEqualTo(journal.subList(4, 5));
    }
}
