package dev.tandem.agent.supervise;

import dev.tandem.agent.state.RotatedLines;
import dev.tandem.agentapi.replay.RecordedLine;
import dev.tandem.core.replay.FlightRecorder;
import dev.tandem.core.replay.PlanLimits;
import dev.tandem.core.replay.Recorded;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.UnexpectedErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.stream.Collectors;

/**
 * Records events for {@code tandem explain --replay}, on a thread of its own. Nothing depends on
 * it: what cannot be written is left out, and the recording goes on with a state.
 */
public final class EventRecorder implements EtcdSupervisor.Recorder, AutoCloseable {
    /** Some seconds of an incident; a disk that is further behind gets less to write. */
    private static final int MOST_WAITING = 64;

    /**
     * What is left to others: the durable state lies on the same file system, and a take-over that
     * cannot be stored is not made. Twice what a recording grows to.
     */
    static final long LEFT_TO_OTHERS = 16L << 20;

    /** What the file system of the recording has left. */
    interface Room {
        long usableBytes() throws IOException;
    }

    private final Room room;
    private final FlightRecorder recorder;
    private final RotatedLines file;
    private final InstantSource clock;
    private final Thread thread;
    private final BlockingQueue<List<Recorded>> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private boolean toldOfFailure;
    private volatile boolean closed;

    /** Something was left out since the last state was recorded. */
    private volatile boolean gap;

    public EventRecorder(FlightRecorder recorder, RotatedLines file, InstantSource clock) {
        this(
                recorder,
                file,
                clock,
                () -> Files.getFileStore(DurableFiles.parent(file.file())).getUsableSpace());
    }

    EventRecorder(FlightRecorder recorder, RotatedLines file, InstantSource clock, Room room) {
        this.room = room;
        this.recorder = recorder;
        this.file = file;
        this.clock = clock;
        this.thread = Thread.ofPlatform().daemon().name("recorder").start(this::run);
    }

    @Override
    public void took(
            State before, Event event, Moment now, PlanLimits limits, Supervisor.Outcome outcome) {
        recorder.judgedBy(limits);
        if (gap) {
            gap = false;
            recorder.lost();
        }
        List<Recorded> due = recorder.took(before, event, now, outcome, clock.instant());
        if (!due.isEmpty() && !waiting.offer(due)) {
            recorder.lost();
        }
    }

    private void run() {
        try {
            while (!closed || !waiting.isEmpty()) {
                List<List<Recorded>> next = new ArrayList<>();
                next.add(waiting.take());
                waiting.drainTo(next);
                write(next);
            }
        } catch (InterruptedException e) {
            // Nobody does that.
            Thread.currentThread().interrupt();
        }
    }

    private void write(List<List<Recorded>> recorded) {
        if (recorded.stream().allMatch(List::isEmpty)) {
            return;
        }
        try {
            if (room.usableBytes() < LEFT_TO_OTHERS) {
                leftOut("less than %d MB are free".formatted(LEFT_TO_OTHERS >> 20));
                return;
            }
            file.append(
                    recorded.stream()
                            .flatMap(List::stream)
                            .map(RecordedLine::json)
                            .collect(Collectors.joining("\n", "", "\n")));
            toldOfFailure = false;
        } catch (IOException e) {
            leftOut(e.toString());
        } catch (RuntimeException | Error e) {
            gap = true;
            UnexpectedErrors.log("recording events", e);
        }
    }

    /** What follows has a gap before it, and begins with a state. */
    private void leftOut(String why) {
        gap = true;
        if (!toldOfFailure) {
            System.err.println("events cannot be recorded: " + why);
        }
        toldOfFailure = true;
    }

    /** Whether it has written what it will, after an end was asked for. */
    boolean awaitEnd(Duration limit) throws InterruptedException {
        return thread.join(limit);
    }

    /**
     * Asks for the rest to be written, and does not wait: the last lines may be lost. Not by an
     * interrupt, which would close the file in the middle of a line.
     */
    @Override
    public void close() {
        closed = true;
        // It may be waiting for something; where there is no room it is not.
        boolean _ = waiting.offer(List.of());
    }
}
