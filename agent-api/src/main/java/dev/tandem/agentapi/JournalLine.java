package dev.tandem.agentapi;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.FormatVersion;
import dev.tandem.core.decision.OwnLog;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;

/**
 * A line of the journal.
 *
 * @param form of the line
 * @param time by the clock of the node: for people
 * @param nanos by the monotonic clock, which all processes of a machine share: for durations
 */
public record JournalLine(FormatVersion form, Instant time, long nanos, JournalEvent event) {
    /** Of the lines that this program writes. */
    public static final int VERSION = 1;

    private static final FormatVersion FORM = FormatVersion.of(VERSION);

    /** As many of the last lines are told by an agent that is asked for its journal. */
    public static final int MOST_TOLD = 2000;

    /** The name of the file, in the directory of the agent's state. */
    public static final String FILE = "journal.jsonl";

    private static final String VERSION_FIELD = "v";
    private static final String TIME = "time";
    private static final String MICROS = "monotonicMicros";
    private static final String EVENT = "event";
    private static final String LOG = "log";
    private static final JsonNode UNTOLD = AgentJson.MAPPER.valueToTree(new OwnLog.Untold());

    public static JournalLine now(Instant time, JournalEvent event) {
        return new JournalLine(FORM, time, System.nanoTime(), event);
    }

    /** As it stands in the file. */
    public String json() {
        ObjectNode line =
                AgentJson.MAPPER
                        .createObjectNode()
                        .put(TIME, time.toString())
                        .put(MICROS, nanos / 1000);
        AgentJson.putVersion(line, VERSION_FIELD, form);
        line.setAll(AgentJson.MAPPER.<ObjectNode>valueToTree(event));
        if (UNTOLD.equals(line.get(LOG))) {
            line.remove(LOG);
        }
        return line.toString();
    }

    /**
     * The lines of a file, as a power cut may have left it: zero bytes where a line was to be, or
     * half of a character.
     */
    public static List<String> lines(byte[] file) {
        return lines(new String(file, StandardCharsets.UTF_8));
    }

    /** The lines of a file that was read already. */
    public static List<String> lines(String file) {
        return file.replace("\0", "").lines().filter(line -> !line.isBlank()).toList();
    }

    /** Reads a line of any release; what cannot be read says so. */
    public static JournalLine parse(String text) {
        try {
            return of(AgentJson.MAPPER.readTree(text));
        } catch (JsonProcessingException e) {
            return unreadable("not JSON: " + e.getOriginalMessage());
        }
    }

    /** A line of the file for a message: itself, or that it is none, as after a power cut. */
    public static String asJson(String text) {
        try {
            JsonNode line = AgentJson.MAPPER.readTree(text);
            if (line.isObject()) {
                return text;
            }
        } catch (JsonProcessingException e) {
            // Told below.
        }
        return AgentJson.MAPPER.createObjectNode().put(EVENT, "torn-line").toString();
    }

    /** In the place of what cannot be read. */
    public static JournalLine unreadable(String why) {
        return new JournalLine(
                FormatVersion.of(0), Instant.EPOCH, 0, new JournalEvent.Unreadable("", why));
    }

    public static JournalLine of(JsonNode line) {
        return new JournalLine(
                AgentJson.version(line, VERSION_FIELD, 0),
                time(line.path(TIME).asText()),
                nanos(line),
                event(line));
    }

    /** Whether the line says when it was written. */
    public boolean isDated() {
        return time.isAfter(Instant.EPOCH);
    }

    private static long nanos(JsonNode line) {
        return line.path(MICROS).asLong() * 1000;
    }

    private static JournalEvent event(JsonNode line) {
        String name = line.path(EVENT).asText();
        FormatVersion form = AgentJson.version(line, VERSION_FIELD, VERSION);
        if (!form.isReadableBy(VERSION)) {
            return new JournalEvent.Unreadable(name, "of " + form);
        }
        try {
            JournalEvent event = AgentJson.MAPPER.treeToValue(withUntold(line), JournalEvent.class);
            return event == null ? new JournalEvent.Unreadable(name, "empty") : event;
        } catch (JsonProcessingException e) {
            return new JournalEvent.Unreadable(name, e.getOriginalMessage());
        }
    }

    /** The first lines do not tell of the log; that is read as not told. */
    private static JsonNode withUntold(JsonNode line) {
        return line instanceof ObjectNode fields
                        && !fields.has(LOG)
                        && line.path(EVENT).asText().equals(JournalEvent.DECISION)
                ? AgentJson.MAPPER.createObjectNode().<ObjectNode>setAll(fields).set(LOG, UNTOLD)
                : line;
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            return Instant.EPOCH;
        }
    }
}
