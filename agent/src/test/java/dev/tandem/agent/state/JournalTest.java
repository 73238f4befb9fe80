package dev.tandem.agent.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
    @TempDir private Path state;
    private Path file = Path.of("");

    @BeforeEach
    void place() {
        file = state.resolve("journal.jsonl");
    }

    @Test
    void aFullJournalIsKeptBesideANewOneThatOnlyItsOwnerReads() throws IOException {
        Journal journal = new Journal(file, InstantSource.system(), 200);
        for (int i = 0; i < 5; i++) {
            journal.record(new JournalEvent.EtcdHung("x".repeat(50) + i));
        }
        Path before = state.resolve("journal.jsonl.1");

        assertThat(before).exists();
        assertThat(mode(before)).isEqualTo("rw-------");
        assertThat(mode(file)).isEqualTo("rw-------");
        assertThat(Files.size(before)).isLessThan(400);
        List<String> last = journal.last(2);
        assertThat(last).hasSize(2);
        assertThat(last.getLast()).contains("xx4");
    }

    @Test
    void aTornLineDoesNotTakeTheNextOneWithIt() throws IOException {
        Files.writeString(file, "{\"event\":\"etcd-en");
        Journal journal = new Journal(file, InstantSource.system());

        journal.record(new JournalEvent.EtcdStopped());

        assertThat(journal.last(2)).hasSize(2);
        assertThat(JournalLine.parse(journal.last(1).getFirst()).event())
                .isEqualTo(new JournalEvent.EtcdStopped());
    }

    /** A file has its new length before what was written there: then zeros stand in its place. */
    @Test
    void zeroBytesThatAPowerCutLeftAreNoLines() throws IOException {
        Journal journal = new Journal(file, InstantSource.system());
        journal.record(new JournalEvent.EtcdHung("before"));
        Files.write(file, new byte[10_000], StandardOpenOption.APPEND);
        assertThat(journal.last(5)).hasSize(1);

        journal.record(new JournalEvent.EtcdStopped());

        assertThat(journal.last(5)).hasSize(2);
        assertThat(Files.readString(file)).doesNotContain("\0").endsWith("\n");
    }

    @Test
    void aJournalOfNothingButZeroBytesBeginsAnew() throws IOException {
        Files.write(file, new byte[4_096]);
        Journal journal = new Journal(file, InstantSource.system());

        journal.record(new JournalEvent.EtcdStopped());

        assertThat(journal.last(5)).hasSize(1);
        assertThat(Files.size(file)).isLessThan(4_096);
    }

    @Test
    void halfACharacterDoesNotKeepTheRestFromBeingRead() throws IOException {
        Files.write(file, new byte[] {'{', '"', (byte) 0xc3});
        Journal journal = new Journal(file, InstantSource.system());

        journal.record(new JournalEvent.EtcdStopped());

        assertThat(journal.last(5)).hasSize(2);
        assertThat(JournalLine.parse(journal.last(1).getFirst()).event())
                .isEqualTo(new JournalEvent.EtcdStopped());
    }

    /** A decision that was made on a full disk is read after it, before what came of it. */
    @Test
    void whatCannotBeWrittenIsWrittenWithTheNextLine() throws IOException {
        Path missing = state.resolve("missing");
        Journal journal = new Journal(missing.resolve("journal.jsonl"), InstantSource.system());

        journal.record(new JournalEvent.EtcdHung("first"));
        assertThat(journal.last(2)).as("told all the same").hasSize(1);
        Files.createDirectory(missing);
        journal.record(new JournalEvent.EtcdStopped());

        assertThat(Files.readAllLines(missing.resolve("journal.jsonl")))
                .hasSize(2)
                .isEqualTo(journal.last(5));
        assertThat(JournalLine.parse(journal.last(2).getFirst()).event())
                .isEqualTo(new JournalEvent.EtcdHung("first"));
    }

    @Test
    void aPlaceThatCanNeverBeWrittenToStopsNobodyAndTakesNoMemory() {
        Journal journal =
                new Journal(state.resolve("missing/journal.jsonl"), InstantSource.system());

        for (int i = 0; i < 600; i++) {
            journal.record(new JournalEvent.EtcdStopped());
        }

        assertThat(journal.last(1000)).hasSize(500);
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
