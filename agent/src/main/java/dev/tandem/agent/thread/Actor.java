package dev.tandem.agent.thread;

import dev.tandem.host.UnexpectedErrors;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The one thread on which the supervisor lives, and a bell for those who wait for a change. */
public final class Actor implements AutoCloseable {
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(
                    1,
                    1,
                    0,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    Thread.ofPlatform().name("supervisor").factory(),
                    // After the end, callers get no answer, as from a supervisor that is busy.
                    new ThreadPoolExecutor.DiscardPolicy());
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition rung = lock.newCondition();
    private long changes;

    /** Something to be done on the supervisor's thread, soon; faults end in the log. */
    public void post(Runnable work) {
        thread.execute(() -> {
            try {
                work.run();
            } catch (RuntimeException e) {
                // One fault must not end the thread that everything depends on. systemd's
                // watchdog ends us if it comes to that.
                UnexpectedErrors.log("the supervisor", e);
            }
        });
    }

    /** Does it on the supervisor's thread; empty when that has no time for it within the limit. */
    public <T> Optional<T> call(Callable<T> work, Duration limit) {
        Future<T> result = thread.submit(work);
        try {
            return Optional.of(result.get(limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            result.cancel(false);
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    public void ring() {
        lock.lock();
        try {
            changes++;
            rung.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The number of rings so far; take it before looking, and wait for the next with it. */
    public long changes() {
        lock.lock();
        try {
            return changes;
        } finally {
            lock.unlock();
        }
    }

    /** Returns when the bell was rung since {@code seen}, or at the limit. */
    public void awaitChange(long seen, Duration limit) throws InterruptedException {
        lock.lock();
        try {
            long left = limit.toNanos();
            while (changes == seen && left > 0) {
                left = rung.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes nothing more. What is under way is neither interrupted nor waited for: a decision that
     * is being carried out is made for a sudden end, and not for one half of it failing.
     */
    @Override
    public void close() {
        thread.shutdown();
        thread.getQueue().clear();
    }

    /** Whether what was under way is over. */
    boolean awaitEnd(Duration limit) throws InterruptedException {
        return thread.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS);
    }
}
