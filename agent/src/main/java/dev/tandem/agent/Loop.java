package dev.tandem.agent;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Does its work again and again, and sleeps between until it is nudged or its interval is over. */
final class Loop implements AutoCloseable {
    private final String name;
    private final Supplier<Duration> interval;
    private final Runnable work;
    private final Semaphore nudges = new Semaphore(0);
    private volatile boolean ends;

    Loop(String name, Supplier<Duration> interval, Runnable work) {
        this.name = name;
        this.interval = interval;
        this.work = work;
    }

    void start() {
        Thread.ofVirtual().name(name).start(this::run);
    }

    /** The next round begins at once, or right after the one that is under way. */
    void nudge() {
        nudges.release();
    }

    private void run() {
        while (!ends) {
            try {
                work.run();
            } catch (RuntimeException e) {
                // The next round may fare better; nobody else runs this loop.
                Faults.log("the loop " + name, e);
            }
            try {
                if (nudges.tryAcquire(interval.get().toMillis(), TimeUnit.MILLISECONDS)) {
                    nudges.drainPermits();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    @Override
    public void close() {
        ends = true;
        nudge();
    }
}
