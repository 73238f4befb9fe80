package dev.tandem.agent.net;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection that is not done in time. A limit on each read would not do: somebody who
 * sends a byte now and then keeps each of them, and stays for ever.
 */
public final class ConnectionTimeout implements AutoCloseable {
    private final ScheduledThreadPoolExecutor timer;

    public ConnectionTimeout(String name) {
        timer =
                new ScheduledThreadPoolExecutor(
                        1,
                        Thread.ofVirtual().name(name).factory(),
                        // After the end there is nothing left to be closed.
                        new ThreadPoolExecutor.DiscardPolicy());
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** A limit that runs until it is closed. */
    public interface Limit extends AutoCloseable {
        @Override
        void close();
    }

    /** Closes the connection after this time, unless the limit is closed before. */
    public Limit after(Duration time, Closeable connection) {
        ScheduledFuture<?> end =
                timer.schedule(() -> close(connection), time.toNanos(), TimeUnit.NANOSECONDS);
        return () -> end.cancel(false);
    }

    /** Now. */
    public static void close(Closeable connection) {
        try {
            connection.close();
        } catch (IOException e) {
            // It is closed for us in any case.
            return;
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
