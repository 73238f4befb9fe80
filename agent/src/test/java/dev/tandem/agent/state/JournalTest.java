package dev.tandem.agent.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
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

    /** The agent has 64 MB for everything. */
    @Test
    void twoFullFilesAreReadFromTheirEndOnly() throws IOException {
        Path before = state.resolve("journal.jsonl.1");
        String padding = "x".repeat(4_000);
        write(
                before,
                2_000,
                i -> "{\"event\":\"old\",\"number\":%d,\"x\":\"%s\"}".formatted(i, padding));
        write(
                file,
                2_000,
                i -> "{\"event\":\"new\",\"number\":%d,\"x\":\"%s\"}".formatted(i, padding));
        Journal journal = new Journal(file, InstantSource.system());
        journal.last(1);

        long earlier = allocated();
        List<String> few = journal.last(100);
        assertThat(allocated() - earlier).as("for 100 lines").isLessThan(4L << 20);
        assertThat(few).hasSize(100);
        assertThat(few.getFirst()).contains("\"number\":1900,");

        earlier = allocated();
        List<String> many = journal.last(JournalLine.MOST_TOLD);
        assertThat(allocated() - earlier).as("for all that is told").isLessThan(16L << 20);
        assertThat(many).hasSizeBetween(500, 530);
        assertThat(many).allMatch(line -> JournalLine.asJson(line).equals(line));
        assertThat(many.getLast()).contains("\"number\":1999,");
    }

    @Test
    void theLastLinesOfShortOnesAreToldFromBothFiles() throws IOException {
        write(state.resolve("journal.jsonl.1"), 5_000, i -> "{\"old\":%d}".formatted(i));
        write(file, 700, i -> "{\"new\":%d}".formatted(i));
        Journal journal = new Journal(file, InstantSource.system());

        assertThat(journal.last(700)).hasSize(700).first().isEqualTo("{\"new\":0}");
        List<String> both = journal.last(JournalLine.MOST_TOLD);
        assertThat(both).hasSize(JournalLine.MOST_TOLD).first().isEqualTo("{\"old\":3700}");
        assertThat(both.getLast()).isEqualTo("{\"new\":699}");
        assertThat(journal.last(9_000)).hasSize(5_700).first().isEqualTo("{\"old\":0}");
    }

    @Test
    void aLineLongerThanAllThatIsReadIsLeftOut() throws IOException {
        Files.writeString(file, "x".repeat(JournalTail.MOST_READ + 1) + "\n{\"after\":1}\n");
        Journal journal = new Journal(file, InstantSource.system());

        assertThat(journal.last(5)).containsExactly("{\"after\":1}");
        Files.writeString(file, "x".repeat(JournalTail.MOST_READ + 1));
        assertThat(journal.last(5)).isEmpty();
    }

    /** A fence is recorded while a person reads what was before it. */
    @Test
    void whoReadsKeepsNobodyFromWriting() throws Exception {
        Journal journal = new Journal(file, InstantSource.system(), 200);
        journal.record(new JournalEvent.EtcdHung("x".repeat(300)));
        List<String> known = journal.last(5);
        try (JournalTail tail = journal.open()) {
            journal.record(new JournalEvent.EtcdStopped());
            assertThat(state.resolve("journal.jsonl.1")).as("a new one was begun").exists();

            AtomicReference<List<String>> read = new AtomicReference<>(List.of());
            Thread reader =
                    Thread.ofVirtual()
                            .unstarted(() -> {
                                try {
                                    read.set(tail.last(5));
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            });
            synchronized (journal) {
                reader.start();
                assertThat(reader.join(Duration.ofSeconds(20))).as("needs no lock").isTrue();
            }
            assertThat(read.get()).isEqualTo(known);
        }
        assertThat(journal.last(5)).hasSize(2);
    }

    private static void write(Path file, int lines, IntFunction<String> line) throws IOException {
        Files.write(file, IntStream.range(0, lines).mapToObj(line).toList());
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean())
                .getCurrentThreadAllocatedBytes();
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
