package dev.tandem.lab;

import java.time.Duration;

/** The end of a wait, and the pauses on the way to it. */
record Deadline(long endNanos) {

    static Deadline in(Duration limit) {
        return new Deadline(System.nanoTime() + limit.toNanos());
    }

    boolean passed() {
        return System.nanoTime() - endNanos >= 0;
    }

    /** Between two looks at something that sends no word when it changes. */
    void pause(Duration between) throws InterruptedException {
        long left = endNanos - System.nanoTime();
        if (left > 0) {
            Thread.sleep(Duration.ofNanos(Math.min(left, between.toNanos())));
        }
    }
}
