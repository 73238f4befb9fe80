package dev.tandem.drill.audit;

import java.time.Duration;
import java.time.Instant;

/**
 * One moment by both clocks: journals and clients count by the monotonic one, the lab's timeline
 * has the time of day.
 */
public record Moment(Instant instant, long nanoTime) {
    public static Moment now() {
        return new Moment(Instant.now(), System.nanoTime());
    }

    /** That time of day by the monotonic clock. */
    public long nanos(Instant other) {
        return nanoTime + Duration.between(instant, other).toNanos();
    }

    public long millisTo(Instant other) {
        return Duration.between(instant, other).toMillis();
    }

    public long millisTo(long otherNanos) {
        return (otherNanos - nanoTime) / 1_000_000;
    }
}
