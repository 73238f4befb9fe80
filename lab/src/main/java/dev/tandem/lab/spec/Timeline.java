package dev.tandem.lab.spec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What was done to a lab and what happened in it, with times: the ground truth that reports are
 * made from. One JSON object a line, written before an act begins and after it has ended.
 */
public final class Timeline {
    private final Path file;
    private final Clock clock;

    public Timeline(Path file, Clock clock) {
        this.file = file;
        this.clock = clock;
    }

    /**
     * One line.
     *
     * @param at UTC, ISO 8601
     * @param event what happened, in words with dashes, such as {@code power-cut}
     * @param subject the node or network it happened to, or {@code lab}
     */
    public record Entry(String at, String event, String subject, Map<String, String> detail) {
        public Entry {
            detail = Map.copyOf(detail);
        }

        public Instant instant() {
            return Instant.parse(at);
        }
    }

    public synchronized void record(String event, String subject, Map<String, String> detail) {
        Entry entry = new Entry(clock.instant().toString(), event, subject, detail);
        try {
            Files.writeString(
                    file, Json.line(entry), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the timeline " + file, e);
        }
    }

    public void record(String event, String subject) {
        record(event, subject, Map.of());
    }

    public static List<Entry> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        try (var lines = Files.lines(file)) {
            return lines.map(Timeline::parse).toList();
        }
    }

    private static Entry parse(String line) {
        try {
            return Json.MAPPER.readValue(line, Entry.class);
        } catch (IOException e) {
            throw new UncheckedIOException("not a line of a timeline: " + line, e);
        }
    }
}
