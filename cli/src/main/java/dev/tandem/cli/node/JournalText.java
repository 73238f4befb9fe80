package dev.tandem.cli.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** The agent's journal as a person reads it. */
final class JournalText {
    private JournalText() {}

    static String of(List<JsonNode> entries) {
        StringBuilder text = new StringBuilder();
        List<JournalLine> lines = entries.stream().map(JournalLine::of).toList();
        for (int i = 0; i < lines.size(); i++) {
            JournalLine line = lines.get(i);
            int same = i;
            while (same + 1 < lines.size() && lines.get(same + 1).event().equals(line.event())) {
                same++;
            }
            text.append(time(line.time()))
                    .append("  ")
                    .append(line.event().sentence())
                    .append('\n');
            if (line.event() instanceof JournalEvent.Decided decided) {
                decided.reasons()
                        .forEach(reason -> text.append("    ").append(reason).append('\n'));
            }
            if (same > i) {
                text.append(
                        "    repeated %d more %s, until %s%n"
                                .formatted(
                                        same - i,
                                        same - i == 1 ? "time" : "times",
                                        time(lines.get(same).time())));
                i = same;
            }
        }
        return text.toString();
    }

    static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString().replace('T', ' ').replace("Z", "");
    }
}
