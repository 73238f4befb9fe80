package dev.tandem.agent.supervise;

import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.core.supervise.SupervisorPolicy;
import dev.tandem.core.supervise.SupervisorView;
import dev.tandem.host.UnexpectedErrors;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Where the {@link Supervisor} function lives: takes events in, one after the other, keeps the
 * state that follows, and hands on what is to be done. All that is judged is judged in the core,
 * and all that takes time is done by {@link Performer}, elsewhere.
 *
 * <p>Everything is told from the last state, on any thread, without waiting for anybody.
 */
public final class EtcdSupervisor {
    /** Does what is to be done, without keeping the caller, and reports it with {@link #post}. */
    public interface Performer {
        void perform(Action action);
    }

    /** Hears of every event and what followed from it, on the supervisor's thread. */
    public interface Recorder {
        /** Must neither wait nor fail. */
        void took(State before, Event event, Moment now, Supervisor.Outcome outcome);
    }

    private final SupervisorPolicy policy;
    private final Executor thread;
    private final LongSupplier nanos;
    private final Runnable changed;
    private final Recorder recorder;
    private final Queue<Event> arrived = new ArrayDeque<>();
    private final Map<Long, CompletableFuture<Action.Acknowledgement>> callers =
            new ConcurrentHashMap<>();
    private final AtomicLong lastCaller = new AtomicLong();
    private final Supervisor.Outcome beginning;
    private Performer performer = _ -> {};
    private Optional<PeerMessage> answer = Optional.empty();
    private boolean takesIn;
    private volatile State state;

    /**
     * @param beginning what {@link Supervisor#begin} made of the disk
     * @param thread the one thread on which events are taken in
     * @param nanos the clock by which {@code beginning} was made
     * @param changed called after each event, for those who wait for a change
     * @param recorder so that a later version can be asked what it would have done
     */
    public EtcdSupervisor(
            Supervisor.Outcome beginning,
            SupervisorPolicy policy,
            Executor thread,
            LongSupplier nanos,
            Runnable changed,
            Recorder recorder) {
        this.beginning = beginning;
        this.state = beginning.state();
        this.policy = policy;
        this.thread = thread;
        this.nanos = nanos;
        this.changed = changed;
        this.recorder = recorder;
    }

    /** Begins to act. Called once, before the first event. */
    public void start(Performer by) {
        thread.execute(() -> {
            performer = by;
            beginning.actions().forEach(this::perform);
        });
    }

    /** Something happened; from any thread. */
    public void post(Event event) {
        thread.execute(() -> on(event));
    }

    /** The same, for what depends on what has been taken in before it. */
    public void post(Supplier<Event> event) {
        thread.execute(() -> on(event.get()));
    }

    /**
     * Takes an event in; on the supervisor's thread. One that is reported meanwhile is next, so
     * that whoever does something at once may report it at once.
     */
    public void on(Event event) {
        arrived.add(event);
        if (takesIn) {
            return;
        }
        takesIn = true;
        try {
            for (Event next = arrived.poll(); next != null; next = arrived.poll()) {
                State before = state;
                Moment now = now();
                Supervisor.Outcome outcome = Supervisor.on(before, next, now, policy);
                state = outcome.state();
                outcome.actions().forEach(this::perform);
                recorder.took(before, next, now, outcome);
            }
        } finally {
            takesIn = false;
        }
        changed.run();
    }

    /** One that fails must not take the next ones with it: somebody waits for their reports. */
    private void perform(Action action) {
        try {
            begin(action);
        } catch (RuntimeException e) {
            UnexpectedErrors.log("beginning " + action.getClass().getSimpleName(), e);
        }
    }

    private void begin(Action action) {
        switch (action) {
            case Action.AnswerPeer(PeerMessage message) -> answer = Optional.of(message);
            case Action.Acknowledge(long caller, Action.Acknowledgement what) ->
                    Optional.ofNullable(callers.remove(caller))
                            .ifPresent(waits -> waits.complete(what));
            default -> performer.perform(action);
        }
    }

    /** The peer asked; its answer, unless it was overtaken. On the supervisor's thread. */
    public Optional<PeerMessage> asked(Event.PeerAsked question) {
        answer = Optional.empty();
        on(question);
        return answer;
    }

    /**
     * Has something taken in that is answered only when it is stored, and waits for that; from any
     * thread but the supervisor's. Empty if there was no answer within the limit: it may still come
     * to count.
     *
     * @param event is given the number of its caller, on the supervisor's thread
     */
    public Optional<Action.Acknowledgement> ask(LongFunction<Event> event, Duration limit) {
        long caller = lastCaller.incrementAndGet();
        CompletableFuture<Action.Acknowledgement> waits = new CompletableFuture<>();
        callers.put(caller, waits);
        post(() -> event.apply(caller));
        try {
            return Optional.of(waits.get(limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            callers.remove(caller);
        }
    }

    /** What can be told now; from any thread. */
    public SupervisorView view() {
        return new SupervisorView(state, now(), policy);
    }

    /** By the clock that the supervisor goes by; from any thread. */
    public Moment now() {
        return new Moment(nanos.getAsLong());
    }
}
