package dev.tandem.agent.thread;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Ends the sleep of a {@link Loop}. It is made before its loop, since what the loop looks at may be
 * what wakes it.
 */
public final class WakeUp {
    private final Semaphore wakeUps = new Semaphore(0);

    /** The next round begins at once, or right after the one that is under way. */
    public void give() {
        wakeUps.release();
    }

    /** Sleeps until there is one, or the limit is reached; several count as one. */
    void await(Duration limit) throws InterruptedException {
        if (wakeUps.tryAcquire(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            wakeUps.drainPermits();
        }
    }
}
