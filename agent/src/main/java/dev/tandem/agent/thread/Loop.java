package dev.tandem.agent.thread;

import dev.tandem.host.UnexpectedErrors;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Does its work again and again, and sleeps between until it is woken or its interval is over. A
 * fault ends a round and never the loop.
 */
public final class Loop implements AutoCloseable {
    /** Until the next round when nothing tells its interval. */
    static final Duration AFTER_A_FAULT = Duration.ofSeconds(1);

    /** The exit code of a JVM that runs out of memory. */
    private static final int OUT_OF_MEMORY = 3;

    private final String name;
    private final WakeUp wakeUp;
    private final Supplier<Duration> interval;
    private final Runnable work;
    private final Runnable withoutMemory;
    private volatile boolean ends;

    public Loop(String name, WakeUp wakeUp, Supplier<Duration> interval, Runnable work) {
        this(name, wakeUp, interval, work, () -> Runtime.getRuntime().halt(OUT_OF_MEMORY));
    }

    /**
     * @param withoutMemory ends the process: half a JVM would be worse than none
     */
    Loop(
            String name,
            WakeUp wakeUp,
            Supplier<Duration> interval,
            Runnable work,
            Runnable withoutMemory) {
        this.name = name;
        this.wakeUp = wakeUp;
        this.interval = interval;
        this.work = work;
        this.withoutMemory = withoutMemory;
    }

    public void start() {
        Thread.ofVirtual().name(name).start(this::run);
    }

    private void run() {
        try {
            while (!ends) {
                round();
                wakeUp.await(pause());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (OutOfMemoryError e) {
            // The JVM exits on its own only where it is the one that finds no memory, not where the
            // library does: for buffers outside of the heap, for one.
            withoutMemory.run();
        }
    }

    private void round() {
        try {
            work.run();
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (RuntimeException | Error e) {
            fault(e);
        }
    }

    private Duration pause() {
        try {
            return interval.get();
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (RuntimeException | Error e) {
            fault(e);
            return AFTER_A_FAULT;
        }
    }

    /** The next round may fare better; nobody else runs this loop. */
    private void fault(Throwable e) {
        if (!ends) {
            UnexpectedErrors.log("the loop " + name, e);
        }
    }

    @Override
    public void close() {
        ends = true;
        wakeUp.give();
    }
}
