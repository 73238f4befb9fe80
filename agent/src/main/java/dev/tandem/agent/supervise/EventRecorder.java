package dev.tandem.agent.supervise;

import dev.tandem.agent.state.RotatedLines;
import dev.tandem.agentapi.replay.RecordedLine;
import dev.tandem.core.replay.FlightRecorder;
import dev.tandem.core.replay.Recorded;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.host.UnexpectedErrors;
import java.io.IOException;
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

    private final FlightRecorder recorder;
    private final RotatedLines file;
    private final InstantSource clock;
    private final BlockingQueue<List<Recorded>> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private final Thread thread;
    private boolean toldOfFailure;

    public EventRecorder(FlightRecorder recorder, RotatedLines file, InstantSource clock) {
        this.recorder = recorder;
        this.file = file;
        this.clock = clock;
        this.thread = Thread.ofPlatform().daemon().name("recorder").start(this::run);
    }

    @Override
    public void took(State before, Event event, Moment now, Supervisor.Outcome outcome) {
        List<Recorded> due = recorder.took(before, event, now, outcome, clock.instant());
        if (!due.isEmpty() && !waiting.offer(due)) {
            recorder.lost();
        }
    }

    private void run() {
        try {
            while (true) {
                List<List<Recorded>> next = new ArrayList<>();
                next.add(waiting.take());
                waiting.drainTo(next);
                write(next);
            }
        } catch (InterruptedException e) {
            List<List<Recorded>> rest = new ArrayList<>();
            waiting.drainTo(rest);
            write(rest);
        }
    }

    private void write(List<List<Recorded>> recorded) {
        if (recorded.isEmpty()) {
            return;
        }
        try {
            file.append(
                    recorded.stream()
                            .flatMap(List::stream)
                            .map(RecordedLine::json)
                            .collect(Collectors.joining("\n", "", "\n")));
            toldOfFailure = false;
        } catch (IOException e) {
            // What follows has a gap before it, up to the next state.
            if (!toldOfFailure) {
                System.err.println("events cannot be recorded: " + e);
            }
            toldOfFailure = true;
        } catch (RuntimeException | Error e) {
            UnexpectedErrors.log("recording events", e);
        }
    }

    /** Asks for the rest to be written, and does not wait: the last lines may be lost. */
    @Override
    public void close() {
        thread.interrupt();
    }
}
