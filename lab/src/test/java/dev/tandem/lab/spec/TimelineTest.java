package dev.tandem.lab.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimelineTest {
    @Test
    void whatIsRecordedIsReadBackInOrder(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("timeline.jsonl");
        Instant at = Instant.parse("2026-11-15T20:00:00.123456Z");
        Timeline timeline = new Timeline(file, Clock.fixed(at, ZoneOffset.UTC));

        timeline.record("power-cut", "node-1");
        timeline.record("fault", "cluster0", Map.of("what", "a \"quoted\"\nline"));

        assertThat(Timeline.read(file))
                .containsExactly(
                        new Timeline.Entry(at.toString(), "power-cut", "node-1", Map.of()),
                        new Timeline.Entry(
                                at.toString(),
                                "fault",
                                "cluster0",
                                Map.of("what", "a \"quoted\"\nline")));
    }

    @Test
    void aLabThatNeverStartedHasAnEmptyTimeline(@TempDir Path directory) throws Exception {
        assertThat(Timeline.read(directory.resolve("none"))).isEmpty();
    }
}
