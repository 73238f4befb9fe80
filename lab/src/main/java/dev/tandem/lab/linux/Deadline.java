package dev.tandem.lab.linux;

import java.time.Duration;

/** The end of a wait, and the pauses on the way to it. */
public record Deadline(long endNanos) {

    public static Deadline in(Duration limit) {
        return new Deadline(System.nanoTime() + limit.toNanos());
    }

    public boolean passed() {
        return System.nanoTime() - endNanos >= 0;
    }

    /** Between two looks at something that sends no word when it changes. */
    public void pause(Duration between) throws InterruptedException {
        long left = endNanos - System.nanoTime();
        if (left > 0) {
            Thread.sleep(Duration.ofNanos(Math.min(left, between.toNanos())));
        }
    }
}
