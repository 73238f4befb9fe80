package dev.tandem.agentapi.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.core.FormatVersion;
import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.replay.Recorded;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;

/**
 * A line of the file in which an agent records its events. A state that gets another field makes
 * earlier recordings unreadable unless a default is given for it here; a recording of the first
 * release with events is kept among the tests and has to stay readable.
 */
public final class RecordedLine {
    /** Of the lines that this program writes. */
    private static final int VERSION = 1;

    private static final FormatVersion FORM = FormatVersion.of(VERSION);
    private static final String VERSION_FIELD = "v";
    private static final String TIME = "time";

    /** The name of the file, in the directory of the agent's state. */
    public static final String FILE = "events.jsonl";

    /** How large the file gets; the one before it is kept too. */
    public static final long MOST_BYTES = 4L << 20;

    private RecordedLine() {}

    /** As it stands in the file. */
    public static String json(Recorded recorded) {
        ObjectNode line = AgentJson.begin(VERSION_FIELD, FORM);
        line.setAll(AgentJson.MAPPER.<ObjectNode>valueToTree(recorded));
        return line.toString();
    }

    /** Reads a line of any release; what cannot be read says so. */
    public static Recorded parse(String text) {
        JsonNode line;
        try {
            line = AgentJson.MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            return new Recorded.Unreadable(Instant.EPOCH, "a line is not JSON, or is torn");
        }
        FormatVersion form = AgentJson.version(line, VERSION_FIELD, 0);
        if (form.version() < 1 || !form.isReadableBy(VERSION)) {
            return new Recorded.Unreadable(
                    time(line), "recorded by another release, as %s".formatted(form));
        }
        line.findValues("power").forEach(RecordedLine::completePower);
        line.findValues("record").forEach(RecordedLine::completeRecord);
        line.findValues("event").forEach(RecordedLine::completeEvent);
        try {
            return AgentJson.MAPPER.treeToValue(line, Recorded.class);
        } catch (JsonProcessingException e) {
            return new Recorded.Unreadable(
                    time(line),
                    "recorded by another release, in a form that this one does not read: "
                            + e.getOriginalMessage());
        }
    }

    /**
     * The first release judged one BMC of the peer in its state, and did not keep when that last
     * read Off.
     */
    private static void completePower(JsonNode told) {
        if (told instanceof ObjectNode power && power.has("falseOff") && !power.has("first")) {
            ObjectNode first = power.putObject("first");
            first.set("since", power.path("offWhilePresentSince"));
            first.set("tooLong", power.path("falseOff"));
            power.putObject("second").putNull("since").put("tooLong", false);
        }
        for (String bmc : List.of("first", "second")) {
            if (told.path(bmc) instanceof ObjectNode its && !its.has("last")) {
                its.set("last", its.path("since"));
            }
        }
        if (told instanceof ObjectNode power && power.has("levelTwo")) {
            completeLooks(power);
        }
    }

    /** There was one place for the records of all levels, of which the first had the most. */
    private static void completeLooks(ObjectNode power) {
        JsonNode looks = power.path("levelTwo");
        if (!looks.isArray()) {
            ArrayNode levels = power.putArray("levelTwo");
            if (looks instanceof ObjectNode only) {
                levels.add(only.put("level", "first"));
            }
        }
    }

    /** The first release did not note whose BMC gave a record of the second level. */
    private static void completeRecord(JsonNode told) {
        if (told instanceof ObjectNode record && record.has("ordered") && !record.has("giver")) {
            record.put("giver", LevelTwoRecord.Giver.UNKNOWN.name());
        }
    }

    /**
     * The second BMC's readings did not say of which machine they are, and all counted; the record
     * of a further level did not say of which.
     */
    private static void completeEvent(JsonNode told) {
        if (told instanceof ObjectNode event) {
            switch (event.path("is").asText()) {
                case "SecondPowerRead" -> putIfAbsent(event, "ofThePeer", BooleanNode.TRUE);
                case "FurtherLevelFound" -> putIfAbsent(event, "number", IntNode.valueOf(1));
                default -> {
                    // Such events are as they were.
                }
            }
        }
    }

    private static void putIfAbsent(ObjectNode into, String field, JsonNode value) {
        if (!into.has(field)) {
            into.set(field, value);
        }
    }

    private static Instant time(JsonNode line) {
        try {
            return Instant.parse(line.path(TIME).asText());
        } catch (DateTimeException e) {
            return Instant.EPOCH;
        }
    }
}
