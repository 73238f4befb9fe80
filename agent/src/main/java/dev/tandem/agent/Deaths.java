package dev.tandem.agent;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

/**
 * How often etcd ended by itself. One that dies again before it served has to wait for its next
 * start; one that serves for a while between its deaths does not, but costs every client a gap each
 * time, and at some point the peer alone is the better service.
 */
final class Deaths {
    /** Deaths longer ago say nothing about the next. */
    static final Duration LATELY = Duration.ofMinutes(2);

    private final LongSupplier nanos;
    private final Deque<Long> times = new ArrayDeque<>();
    private int inARow;

    Deaths(LongSupplier nanos) {
        this.nanos = nanos;
    }

    void add() {
        times.addLast(nanos.getAsLong());
        inARow++;
    }

    void serves() {
        inARow = 0;
    }

    void forget() {
        times.clear();
        inARow = 0;
    }

    /** Since etcd served last. */
    int inARow() {
        return inARow;
    }

    int lately() {
        long now = nanos.getAsLong();
        times.removeIf(time -> now - time > LATELY.toNanos());
        return times.size();
    }
}
