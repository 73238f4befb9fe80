package dev.tandem.agent.thread;

import dev.tandem.host.UnexpectedErrors;
import java.time.Duration;

/**
 * Closes what the end of the process alone leaves open elsewhere, such as sessions at a BMC, which
 * has few of them. Within a limit: a BMC that does not answer must not hold the stop up.
 */
public final class BoundedShutdown {
    private BoundedShutdown() {}

    /** Closes it when the JVM ends, by a signal or on its own. */
    public static void atExit(AutoCloseable thing, Duration limit) {
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform().name("end").unstarted(() -> close(thing, limit)));
    }

    /** Returns when it is closed, or at the limit. */
    public static void close(AutoCloseable thing, Duration limit) {
        Thread closing =
                Thread.ofPlatform()
                        // The JVM waits for its hooks, and for nobody else.
                        .daemon()
                        .name("close")
                        .start(() -> closeAndTell(thing));
        try {
            if (!closing.join(limit)) {
                System.err.println("not everything was closed within " + limit.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeAndTell(AutoCloseable thing) {
        try {
            thing.close();
        } catch (Exception e) {
            // The process ends all the same.
            UnexpectedErrors.log("the end", e);
        }
    }
}
