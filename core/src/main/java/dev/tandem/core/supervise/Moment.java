package dev.tandem.core.supervise;

import java.time.Duration;

/**
 * A reading of a monotonic clock, such as {@link System#nanoTime}. Only differences mean something:
 * where it begins differs from one run of the agent to the next, so a moment is never stored and
 * never told.
 */
public record Moment(long nanos) {
    public Moment plus(Duration time) {
        return new Moment(nanos + time.toNanos());
    }

    /** How long after the earlier moment this one is; negative if it is before it. */
    public Duration since(Moment earlier) {
        return Duration.ofNanos(nanos - earlier.nanos);
    }

    public boolean isBefore(Moment other) {
        return nanos - other.nanos < 0;
    }

    /** Whether more than this time has gone by since the earlier moment. */
    public boolean isLaterThan(Duration time, Moment earlier) {
        return nanos - earlier.nanos > time.toNanos();
    }

    public Moment later(Moment other) {
        return isBefore(other) ? other : this;
    }
}
