package dev.tandem.cli.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** The agent's journal as a person reads it. */
final class JournalText {
    private JournalText() {}

    static String of(List<JsonNode> entries) {
        StringBuilder text = new StringBuilder();
        for (JsonNode entry : entries) {
            JournalLine line = JournalLine.of(entry);
            text.append(time(line)).append("  ").append(line.event().sentence()).append('\n');
            if (line.event() instanceof JournalEvent.Decided decided) {
                decided.reasons()
                        .forEach(reason -> text.append("    ").append(reason).append('\n'));
            }
        }
        return text.toString();
    }

    private static String time(JournalLine line) {
        return line.time()
                .truncatedTo(ChronoUnit.MILLIS)
                .toString()
                .replace('T', ' ')
                .replace("Z", "");
    }
}
