package dev.tandem.agent.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.agent.state.RotatedLines;
import dev.tandem.agentapi.replay.RecordedLine;
import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replay.FlightRecorder;
import dev.tandem.core.replay.PlanLimits;
import dev.tandem.core.replay.Recorded;
import dev.tandem.core.replay.RecordingReplay;
import dev.tandem.core.supervise.DurableState;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.ServerObservation;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.core.testing.Sketch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a supervisor takes in lies in a file that can be replayed. */
class EventRecorderTest {
    private static final PlanLimits LIMITS =
            new PlanLimits(Policy.PAIR, Duration.ofSeconds(10), Duration.ofSeconds(6));

    private static final Duration SOON = Duration.ofMinutes(1);

    @TempDir private Path directory;

    private static final long MOST_BYTES = 4096;

    /**
     * Never full: however long the writer is kept from running, what it writes then stays in one
     * file. A state fills most of a small one, and would be in the file before after a few lines.
     */
    private static final long ALL_BYTES = 1 << 20;

    private final AtomicLong nanos = new AtomicLong();

    private Path file() {
        return directory.resolve("state").resolve(RecordedLine.FILE);
    }

    private final AtomicLong usable = new AtomicLong(EventRecorder.LEFT_TO_OTHERS);
    private final AtomicLong asked = new AtomicLong();

    private final List<EventRecorder> recorders = new ArrayList<>();

    private EventRecorder recorder(long mostBytes) {
        EventRecorder recorder =
                new EventRecorder(
                        new FlightRecorder(LIMITS),
                        new RotatedLines(file(), mostBytes, RotatedLines.Sync.NEVER),
                        InstantSource.system(),
                        () -> {
                            asked.incrementAndGet();
                            return usable.get();
                        });
        recorders.add(recorder);
        return recorder;
    }

    /** It writes into a directory that is deleted next. */
    @AfterEach
    void ends() throws InterruptedException {
        for (EventRecorder recorder : recorders) {
            recorder.close();
            assertThat(recorder.awaitEnd(Duration.ofMinutes(1))).isTrue();
        }
    }

    private EtcdSupervisor supervisor(EventRecorder recorder) {
        return new EtcdSupervisor(
                Supervisor.begin(
                        new State.Node(Sketch.NORTH, Sketch.SOUTH, Sketch.NORTH_BOOT),
                        DurableState.blank(Sketch.NORTH_BOOT),
                        new ServerObservation(
                                0,
                                EtcdState.STOPPED,
                                Sketch.north("two 1:7").replica(),
                                false,
                                false,
                                new Listed.Nowhere(),
                                WholeLog.CAN_BE_COMMITTED,
                                0,
                                0,
                                ""),
                        Supervisor.Marks.NONE,
                        new Moment(nanos.get())),
                () -> LIMITS,
                Runnable::run,
                nanos::get,
                () -> {},
                recorder);
    }

    private static Event membership(boolean present) {
        return new Event.MembershipRead(new Membership(true, present, true, false));
    }

    /** Those that are there as a whole: the last may be under way, or torn by the end. */
    private List<Recorded> lines() {
        try {
            String text = Files.readString(file());
            return text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .map(RecordedLine::parse)
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isWritten(Instant time) {
        // Once: between two readings a new file may be begun.
        List<Recorded> there = lines();
        return !there.isEmpty() && !there.getLast().time().isBefore(time);
    }

    @Test
    void whatHappenedCanBeReplayedFromTheFile() throws IOException {
        Files.createDirectories(directory.resolve("state"));
        try (EventRecorder recorder = recorder(ALL_BYTES)) {
            EtcdSupervisor supervisor = supervisor(recorder);

            supervisor.on(membership(true));
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            supervisor.on(membership(false));

            await().atMost(SOON).untilAsserted(() -> assertThat(lines()).hasSize(3));
        }
        RecordingReplay replay = RecordingReplay.of(lines(), Instant.MIN, Supervisor::on);
        assertThat(replay.same()).isEqualTo(2);
        assertThat(replay.differences()).isEmpty();
        assertThat(replay.notReplayed()).isEmpty();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .as("it tells who stated what")
                .isEqualTo("rw-------");
    }

    @Test
    void aFullFileIsKeptBesideTheNextAndNoMore() throws IOException {
        Files.createDirectories(directory.resolve("state"));
        Path before = file().resolveSibling(RecordedLine.FILE + ".1");
        try (EventRecorder recorder = recorder(MOST_BYTES)) {
            EtcdSupervisor supervisor = supervisor(recorder);
            for (int i = 0; i < 60; i++) {
                Instant time = Instant.now();
                supervisor.on(membership(i % 2 == 0));
                await().atMost(SOON)
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> isWritten(time));
            }
        }

        try (Stream<Path> files = Files.list(directory.resolve("state"))) {
            assertThat(files).containsExactlyInAnyOrder(file(), before);
        }
        assertThat(Files.size(before)).isGreaterThan(MOST_BYTES).isLessThan(4 * MOST_BYTES);
    }

    /** A take-over has to be stored on the same file system. */
    @Test
    void whatOthersNeedOfANearlyFullDiskIsLeftToThem() throws IOException {
        Files.createDirectories(directory.resolve("state"));
        usable.set(EventRecorder.LEFT_TO_OTHERS - 1);
        try (EventRecorder recorder = recorder(ALL_BYTES)) {
            EtcdSupervisor supervisor = supervisor(recorder);
            // Each is written, or not, before there is another question.
            for (int i = 1; i <= 5; i++) {
                nanos.addAndGet(Duration.ofSeconds(1).toNanos());
                supervisor.on(membership(i % 2 == 0));
                int questions = i;
                await().atMost(SOON).until(() -> asked.get() >= questions);
            }
            assertThat(file()).doesNotExist();

            usable.set(EventRecorder.LEFT_TO_OTHERS);
            await().atMost(SOON)
                    .untilAsserted(() -> {
                        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
                        supervisor.on(membership(false));
                        supervisor.on(membership(true));
                        assertThat(lines()).anyMatch(Recorded.Began.class::isInstance);
                    });
        }
        assertThat(RecordingReplay.of(lines(), Instant.MIN, Supervisor::on).differences())
                .isEmpty();
    }

    /** Where the directory is missing, or the disk full: nobody waits, and it goes on later. */
    @Test
    void whatCannotBeWrittenIsLeftOut() throws IOException {
        try (EventRecorder recorder = recorder(ALL_BYTES)) {
            EtcdSupervisor supervisor = supervisor(recorder);
            supervisor.on(membership(true));
            Files.createDirectories(directory.resolve("state"));

            await().atMost(SOON)
                    .untilAsserted(() -> {
                        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
                        supervisor.on(membership(false));
                        supervisor.on(membership(true));
                        assertThat(lines()).anyMatch(Recorded.Began.class::isInstance);
                    });
        }
        assertThat(RecordingReplay.of(lines(), Instant.MIN, Supervisor::on).differences())
                .isEmpty();
    }

    private static void awaitDespiteInterrupts(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** An interrupt would close the file under the line. */
    @Test
    void whatIsBeingWrittenWhenItEndsIsWritten() throws Exception {
        Files.createDirectories(directory.resolve("state"));
        CountDownLatch begins = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        EventRecorder recorder =
                new EventRecorder(
                        new FlightRecorder(LIMITS),
                        new RotatedLines(file(), MOST_BYTES, RotatedLines.Sync.NEVER),
                        InstantSource.system(),
                        () -> {
                            begins.countDown();
                            awaitDespiteInterrupts(goesOn);
                            return EventRecorder.LEFT_TO_OTHERS;
                        });
        supervisor(recorder).on(membership(true));
        begins.await();

        recorder.close();
        goesOn.countDown();

        await().atMost(SOON).untilAsserted(() -> assertThat(lines()).hasSize(2));
    }
}
