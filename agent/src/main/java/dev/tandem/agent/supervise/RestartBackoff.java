package dev.tandem.agent.supervise;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

/**
 * How often etcd could not be started or exited unexpectedly, and when it may be started again. One
 * that dies again before it served has to wait for its next start; one that serves for a while
 * between its deaths does not, but costs every client a gap each time, and at some point the peer
 * alone is the better service.
 */
final class RestartBackoff {
    /** Deaths longer ago say nothing about the next. */
    static final Duration LATELY = Duration.ofMinutes(2);

    private final LongSupplier nanos;
    private final Deque<Long> deaths = new ArrayDeque<>();
    private int deathsInARow;
    private int failures;
    private long notBefore;

    RestartBackoff(LongSupplier nanos) {
        this.nanos = nanos;
        this.notBefore = nanos.getAsLong();
    }

    /** It exited unexpectedly. */
    void died() {
        deaths.addLast(nanos.getAsLong());
        deathsInARow++;
        if (deathsInARow > 1) {
            pauseFor(deathsInARow - 1);
        }
    }

    /** What was to be done about it could not be done. */
    void failed() {
        failures++;
        pauseFor(failures);
    }

    void serves() {
        deathsInARow = 0;
        failures = 0;
        atOnce();
    }

    /** Another server begins, which has not died yet. */
    void forgetDeaths() {
        deaths.clear();
        deathsInARow = 0;
    }

    /** Whoever asks for a start now need not wait. */
    void atOnce() {
        notBefore = nanos.getAsLong();
    }

    boolean due() {
        return nanos.getAsLong() - notBefore >= 0;
    }

    /** Since etcd served last. */
    int deathsInARow() {
        return deathsInARow;
    }

    int deathsLately() {
        long now = nanos.getAsLong();
        deaths.removeIf(time -> now - time > LATELY.toNanos());
        return deaths.size();
    }

    /** 1, 2, 4, 8 s and no longer. */
    private void pauseFor(int times) {
        Duration pause = Duration.ofSeconds(1L << Math.min(times - 1, 3));
        notBefore = nanos.getAsLong() + pause.toNanos();
    }
}
