package dev.tandem.host;

import java.time.Duration;

/**
 * The end of a wait, and the pauses on the way to it.
 *
 * @param endNanos of {@link System#nanoTime}, whose values may only be subtracted from each other
 */
public record Deadline(long endNanos) {

    public static Deadline in(Duration limit) {
        return new Deadline(System.nanoTime() + limit.toNanos());
    }

    /** With a limit that counts from a moment of {@link System#nanoTime}. */
    public static Deadline after(long sinceNanos, Duration limit) {
        return new Deadline(sinceNanos + limit.toNanos());
    }

    public boolean passed() {
        return System.nanoTime() - endNanos >= 0;
    }

    /** Until the end; negative after it. */
    public Duration left() {
        return Duration.ofNanos(endNanos - System.nanoTime());
    }

    /** Whether more than that time is left. */
    public boolean leavesMoreThan(Duration time) {
        return left().compareTo(time) > 0;
    }

    /** Between two looks at something that does not report its changes. */
    public void pause(Duration between) throws InterruptedException {
        long left = endNanos - System.nanoTime();
        if (left > 0) {
            Thread.sleep(Duration.ofNanos(Math.min(left, between.toNanos())));
        }
    }
}
