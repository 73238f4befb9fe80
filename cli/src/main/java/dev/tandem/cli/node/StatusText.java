package dev.tandem.cli.node;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;

/** The status of a node as people read it: the sentence first, then what it stands on. */
final class StatusText {
    private StatusText() {}

    static String of(JsonNode status) {
        StringBuilder text = new StringBuilder();
        text.append(status.path("sentence").asText()).append("\n");
        if (status.path("ageMillis").asLong() > 0) {
            text.append("  what follows is from ")
                    .append(seconds(status.path("ageMillis").asLong()))
                    .append(" ago\n");
        }
        JsonNode pending = status.path("pending");
        if (pending.isObject()) {
            pending(text, pending);
        }
        if (status.hasNonNull("trouble")) {
            text.append("  trouble: ").append(status.path("trouble").asText()).append('\n');
        }
        JsonNode recovery = status.path("recovery");
        for (JsonNode impediment : recovery.path("impediments")) {
            impediment(text, "no automatic recovery", impediment);
        }
        for (JsonNode warning : recovery.path("warnings")) {
            impediment(text, "needs repair", warning);
        }
        text.append('\n');
        for (JsonNode node : status.path("nodes")) {
            node(text, node);
        }
        text.append('\n');
        for (JsonNode bmc : status.path("fencing")) {
            bmc(text, bmc);
        }
        JsonNode pacemaker = status.path("pacemaker");
        text.append("  pacemaker  ")
                .append(
                        !pacemaker.path("known").asBoolean()
                                ? "corosync does not answer"
                                : (pacemaker.path("quorate").asBoolean()
                                                ? "quorate"
                                                : "not quorate")
                                        + ", peer "
                                        + (pacemaker.path("peerPresent").asBoolean()
                                                ? "present"
                                                : "absent")
                                        + (pacemaker.path("waitsForAll").asBoolean()
                                                ? ", waits for all nodes"
                                                : ""))
                .append('\n');
        String way = status.path("agentsTalkOver").asText("nothing");
        text.append("  agents     ")
                .append(
                        way.equals("nothing")
                                ? "the peer's agent does not answer"
                                : "talk over " + way)
                .append('\n');
        JsonNode kubernetes = status.path("kubernetes");
        if (kubernetes.isObject()) {
            text.append("  kubernetes ")
                    .append(kubernetes.path("sentence").asText())
                    .append(", since ")
                    .append(seconds(kubernetes.path("sinceMillis").asLong()))
                    .append('\n');
        }
        prediction(text, status);
        return text.toString();
    }

    private static void impediment(StringBuilder text, String head, JsonNode impediment) {
        // Some sentences say how long by themselves, from a better source than our first look.
        String sentence = impediment.path("sentence").asText();
        text.append(
                sentence.matches(".* for [0-9]+ s")
                        ? "  %s: %s%n".formatted(head, sentence)
                        : "  %s: %s, for %s%n"
                                .formatted(
                                        head,
                                        sentence,
                                        seconds(impediment.path("sinceMillis").asLong())));
        text.append("    do: ").append(impediment.path("remedy").asText()).append('\n');
        if (impediment.hasNonNull("runbook")) {
            text.append("    runbook: ").append(impediment.path("runbook").asText()).append('\n');
        }
    }

    /** Nothing where nothing is to be recovered: the peer is gone, or nobody serves. */
    private static void prediction(StringBuilder text, JsonNode status) {
        JsonNode prediction = status.path("prediction");
        if (prediction.isObject()) {
            text.append("  recovery   about ")
                    .append(seconds(prediction.path("millis").asLong()))
                    .append(" if the peer crashed now (profile ")
                    .append(status.path("profile").asText())
                    .append(')');
            if (prediction.path("millis").asLong() > prediction.path("objectiveMillis").asLong()) {
                text.append(", longer than the objective of ")
                        .append(seconds(prediction.path("objectiveMillis").asLong()));
            }
            text.append('\n');
        } else if (!status.path("recovery").path("automatic").asBoolean(true)) {
            text.append("  recovery   not automatic; see above\n");
        }
    }

    private static void pending(StringBuilder text, JsonNode pending) {
        text.append("  for ").append(seconds(pending.path("sinceMillis").asLong()));
        if (pending.hasNonNull("owner")) {
            text.append(", waiting for ")
                    .append(
                            switch (pending.path("owner").asText()) {
                                case "PEER" -> "the peer";
                                case "PERSON" -> "a person";
                                default -> word(pending.path("owner").asText());
                            });
        }
        if (pending.hasNonNull("limitMillis")) {
            text.append(
                            pending.path("overdue").asBoolean()
                                    ? "; overdue after "
                                    : "; normal up to ")
                    .append(seconds(pending.path("limitMillis").asLong()));
        }
        text.append('\n');
        if (pending.hasNonNull("missing")) {
            text.append("  missing: ").append(pending.path("missing").asText()).append('\n');
        }
        if (pending.hasNonNull("remedy")) {
            text.append("  you can: ").append(pending.path("remedy").asText()).append('\n');
        }
        // A wait that is in time needs nobody; a refusal has no limit.
        if (pending.hasNonNull("runbook")
                && (pending.path("overdue").asBoolean() || !pending.hasNonNull("limitMillis"))) {
            text.append("  runbook: ").append(pending.path("runbook").asText()).append('\n');
        }
    }

    private static void node(StringBuilder text, JsonNode node) {
        text.append(
                "  %-10s %-11s %-11s %-10s epoch %d, term %d, index %d%s%s%s%n"
                        .formatted(
                                node.path("name").asText(),
                                // Of a node that is gone these are its last words.
                                (node.path("present").asBoolean(true) ? "" : "was ")
                                        + word(node.path("server").asText()),
                                word(node.path("seat").asText()),
                                node.path("complete").asBoolean() ? "complete" : "incomplete",
                                node.path("epoch").asLong(),
                                node.path("term").asLong(),
                                node.path("index").asLong(),
                                node.path("lag").asLong() > 0
                                        ? ", " + node.path("lag").asLong() + " behind"
                                        : "",
                                node.hasNonNull("yielded")
                                        ? ", " + node.path("yielded").asText()
                                        : "",
                                node.path("heardMillis").asLong() > 5_000
                                        ? ", heard "
                                                + seconds(node.path("heardMillis").asLong())
                                                + " ago"
                                        : node.hasNonNull("heardMillis") ? "" : ", not heard"));
    }

    private static void bmc(StringBuilder text, JsonNode bmc) {
        String fault = bmc.path("fault").asText();
        text.append(
                "  bmc of %-10s reads %-8s %s%s%s%n"
                        .formatted(
                                bmc.path("node").asText(),
                                word(bmc.path("power").asText()),
                                bmc.hasNonNull("checkedMillisAgo")
                                        ? "checked "
                                                + seconds(bmc.path("checkedMillisAgo").asLong())
                                                + " ago"
                                        : "not checked yet",
                                bmc.hasNonNull("latencyMillis")
                                        ? ", answers in "
                                                + bmc.path("latencyMillis").asLong()
                                                + " ms"
                                        : "",
                                !fault.isEmpty()
                                        ? ", " + fault
                                        : ", identity " + bmc.path("identity").asText("unknown")));
    }

    private static String word(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    static String seconds(long millis) {
        return millis < 10_000
                ? String.format(Locale.ROOT, "%.1f s", millis / 1000.0)
                : millis / 1000 + " s";
    }
}
