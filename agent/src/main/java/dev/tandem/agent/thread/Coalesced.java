package dev.tandem.agent.thread;

import dev.tandem.host.UnexpectedErrors;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Does its work when it is asked to: at once for the first who asks, and once more for all who ask
 * while it is done or within the spacing after it. So no number of requests makes it happen more
 * often, and none is forgotten.
 */
public final class Coalesced implements AutoCloseable {
    private final ScheduledThreadPoolExecutor thread;
    private final Duration spacing;
    private final Runnable work;
    private final AtomicBoolean queued = new AtomicBoolean();
    private volatile long notBefore;
    private volatile boolean done;

    public Coalesced(String name, Duration spacing, Runnable work) {
        this.thread =
                new ScheduledThreadPoolExecutor(
                        1,
                        Thread.ofVirtual().name(name).factory(),
                        new ThreadPoolExecutor.DiscardPolicy());
        this.spacing = spacing;
        this.work = work;
    }

    /** Returns at once; the work is done soon, and begins after this call. */
    public void request() {
        if (queued.compareAndSet(false, true)) {
            var _ = thread.schedule(this::run, pause(), TimeUnit.NANOSECONDS);
        }
    }

    private long pause() {
        return done ? Math.max(notBefore - System.nanoTime(), 0) : 0;
    }

    private void run() {
        long pause = pause();
        if (pause > 0) {
            // It was asked for while the last one was under way.
            var _ = thread.schedule(this::run, pause, TimeUnit.NANOSECONDS);
            return;
        }
        // From here on a request may be about something that the work has looked at already.
        queued.set(false);
        try {
            work.run();
        } catch (RuntimeException e) {
            UnexpectedErrors.log("what was asked for", e);
        } finally {
            notBefore = System.nanoTime() + spacing.toNanos();
            done = true;
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
