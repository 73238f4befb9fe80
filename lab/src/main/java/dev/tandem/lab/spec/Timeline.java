package dev.tandem.lab.spec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.redfishsim.BmcEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * What was done to a lab and what happened in it, with times: the ground truth that reports are
 * made from. One JSON object a line, written before an act begins and after it has ended.
 */
public final class Timeline {
    /** The subject of what is about no node and no network. */
    public static final String LAB = "lab";

    private static final String AT = "at";
    private static final String SUBJECT = "subject";
    private static final String DETAIL = "detail";
    private static final String BMC = TimelineEvent.Bmc.PREFIX + "-";

    /** Audits judge by what is read here, so nothing is guessed. */
    private static final ObjectMapper EXACT =
            Json.MAPPER
                    .copy()
                    .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS);

    private final Path file;
    private final Clock clock;

    public Timeline(Path file, Clock clock) {
        this.file = file;
        this.clock = clock;
    }

    /**
     * One line.
     *
     * @param at the epoch where that cannot be read; the event is unknown then
     * @param subject the node or network it happened to, or {@link #LAB}
     */
    public record Entry(Instant at, String subject, TimelineEvent event) {
        /** The name of the event in the file. */
        public String name() {
            return event instanceof TimelineEvent.Unknown unknown
                    ? unknown.name()
                    : fields(event).path(TimelineEvent.NAME).asText();
        }
    }

    public synchronized void record(TimelineEvent event, String subject) {
        try {
            Files.writeString(
                    file,
                    line(new Entry(clock.instant(), subject, event)),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the timeline " + file, e);
        }
    }

    /** Records what happened at the BMC of a node. */
    public void record(BmcEvent event, String node) {
        record(TimelineEvent.Bmc.of(event), node);
    }

    public static List<Entry> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        try (var lines = Files.lines(file)) {
            return lines.map(Timeline::parse).toList();
        }
    }

    /** An entry as it stands in the file. */
    static String line(Entry entry) {
        ObjectNode fields = fields(entry.event());
        String name = fields.remove(TimelineEvent.NAME).asText();
        ObjectNode line =
                Json.MAPPER
                        .createObjectNode()
                        .put(AT, entry.at().toString())
                        .put(TimelineEvent.NAME, name)
                        .put(SUBJECT, entry.subject());
        line.set(DETAIL, fields);
        return Json.line(line);
    }

    /** The event's own fields, with its name in the file. */
    private static ObjectNode fields(TimelineEvent event) {
        ObjectNode fields = Json.MAPPER.valueToTree(event);
        if (event instanceof TimelineEvent.Bmc bmc) {
            fields.remove(TimelineEvent.Bmc.KIND);
            fields.put(
                    TimelineEvent.NAME,
                    BMC + bmc.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        }
        return fields;
    }

    /** Reads a line; what cannot be read says so. */
    public static Entry parse(String text) {
        try {
            JsonNode line = EXACT.readTree(text);
            String name = line.path(TimelineEvent.NAME).asText();
            String subject = line.path(SUBJECT).asText();
            if (subject.isEmpty()) {
                return unknown(name, "it does not say to whom it happened");
            }
            try {
                return new Entry(
                        Instant.parse(line.path(AT).asText()),
                        subject,
                        event(name, line.path(DETAIL)));
            } catch (DateTimeException e) {
                return unknown(name, String.valueOf(e.getMessage()));
            }
        } catch (JsonProcessingException e) {
            return unknown(text.strip(), e.getOriginalMessage());
        }
    }

    private static Entry unknown(String name, String why) {
        return new Entry(Instant.EPOCH, LAB, new TimelineEvent.Unknown(name, why));
    }

    private static TimelineEvent event(String name, JsonNode detail) {
        if (!(detail.deepCopy() instanceof ObjectNode fields)) {
            return new TimelineEvent.Unknown(name, "without a detail");
        }
        if (name.startsWith(BMC)) {
            fields.put(TimelineEvent.NAME, TimelineEvent.Bmc.PREFIX);
            fields.put(
                    TimelineEvent.Bmc.KIND,
                    name.substring(BMC.length()).toUpperCase(Locale.ROOT).replace('-', '_'));
        } else {
            fields.put(TimelineEvent.NAME, name);
        }
        try {
            return EXACT.treeToValue(fields, TimelineEvent.class);
        } catch (JsonProcessingException e) {
            return new TimelineEvent.Unknown(name, e.getOriginalMessage());
        }
    }
}
