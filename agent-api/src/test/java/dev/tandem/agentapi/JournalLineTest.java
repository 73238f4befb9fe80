package dev.tandem.agentapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import dev.tandem.core.BootId;
import dev.tandem.core.FormatVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JournalLineTest {
    /** Lines that this release wrote: whatever comes later reads them. */
    static List<String> golden() throws IOException {
        try (InputStream in =
                JournalLineTest.class.getResourceAsStream("/golden/1/journal.jsonl")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("golden")
    void aLineOfTheFirstFormIsReadAndWrittenTheSame(String text) {
        JournalLine line = JournalLine.parse(text);

        assertThat(line.event()).isNotInstanceOf(JournalEvent.Unreadable.class);
        assertThat(line.event().sentence()).isNotBlank();
        assertThat(line.json()).isEqualTo(text);
    }

    @Test
    void everyEventIsInTheGoldenFile() throws IOException {
        var named =
                Arrays.stream(JournalEvent.class.getAnnotation(JsonSubTypes.class).value())
                        .map(JsonSubTypes.Type::name)
                        .collect(Collectors.toSet());
        var seen =
                golden().stream()
                        .map(line -> line.replaceAll(".*\"event\":\"([a-z-]+)\".*", "$1"))
                        .collect(Collectors.toSet());

        assertThat(seen).isEqualTo(named);
        assertThat(JournalEvent.class.getPermittedSubclasses()).hasSize(named.size() + 1);
    }

    /** Each with a subject, since a line of the journal stands alone. */
    @Test
    void everySentenceIsWhatWasReadAloud() throws IOException {
        List<String> sentences =
                golden().stream().map(line -> JournalLine.parse(line).event().sentence()).toList();

        try (InputStream in = JournalLineTest.class.getResourceAsStream("/journal-sentences.txt")) {
            assertThat(String.join("\n", sentences) + "\n")
                    .isEqualTo(
                            new String(
                                    Objects.requireNonNull(in).readAllBytes(),
                                    StandardCharsets.UTF_8));
        }
    }

    @Test
    void whatIsNewInALineIsIgnored() {
        assertThat(
                        JournalLine.parse(
                                        """
                                        {"event":"agent-started","boot":"b","mood":"good","v":1}
                                        """)
                                .event())
                .isEqualTo(new JournalEvent.AgentStarted(new BootId("b")));
    }

    @Test
    void aLineThatCannotBeReadSaysSo() {
        assertThat(JournalLine.parse("{\"event\":\"of-tomorrow\"}").event())
                .isInstanceOfSatisfying(
                        JournalEvent.Unreadable.class,
                        event -> assertThat(event.event()).isEqualTo("of-tomorrow"));
        assertThat(JournalLine.parse("{\"event\":\"stopped\",\"v\":2}").event())
                .isInstanceOf(JournalEvent.Unreadable.class);
        assertThat(JournalLine.parse("{\"event\":\"fenc").event())
                .isInstanceOf(JournalEvent.Unreadable.class);
        assertThat(JournalLine.parse("{\"event\":\"take-over\",\"phase\":\"LATER\"}").event())
                .isInstanceOf(JournalEvent.Unreadable.class);
    }

    /** A release that nobody has written yet. */
    @Test
    void aLineOfALaterFormIsReadWhereItSaysThatItCanBe() throws IOException {
        try (InputStream in =
                JournalLineTest.class.getResourceAsStream("/golden/2/journal.jsonl")) {
            List<String> lines =
                    new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .toList();

            assertThat(JournalLine.parse(lines.get(0)).event())
                    .isEqualTo(new JournalEvent.AgentStarted(new BootId("b")));
            assertThat(JournalLine.parse(lines.get(0)).form()).isEqualTo(new FormatVersion(2, 1));
            assertThat(JournalLine.parse(lines.get(1)).event())
                    .isEqualTo(new JournalEvent.Unreadable("agent-started", "of version 2"));
        }
    }

    @Test
    void aLineCarriesItsForm() {
        JournalLine line = JournalLine.now(Instant.EPOCH, new JournalEvent.EtcdStopped());

        assertThat(JournalLine.parse(line.json()).form())
                .isEqualTo(FormatVersion.of(JournalLine.VERSION));
    }
}
