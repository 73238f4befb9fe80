package dev.tandem.lab.linux;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Does something inside a network namespace. A socket belongs for good to the namespace of the
 * thread that made it, so the daemon can listen in there and stay outside itself.
 */
public final class NetworkNamespace {
    private NetworkNamespace() {}

    /**
     * Runs the task on a thread of its own that has entered the namespace and ends with the task:
     * no other work ever meets a thread that stands in the wrong network.
     */
    public static <T> T call(Path namespace, Callable<T> task) throws IOException {
        FutureTask<T> inside =
                new FutureTask<>(() -> {
                    enter(namespace);
                    return task.call();
                });
        Thread thread = Thread.ofPlatform().name("in " + namespace.getFileName()).start(inside);
        try {
            return inside.get();
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while working in " + namespace, e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException io -> throw io;
                case RuntimeException unchecked -> throw unchecked;
                case Error error -> throw error;
                case null, default -> throw new IOException("failed in " + namespace, e.getCause());
            }
        }
    }

    private static void enter(Path namespace) throws IOException {
        int descriptor =
                LabSyscalls.open(
                        namespace.toString(), LabSyscalls.O_RDONLY | LabSyscalls.O_CLOEXEC);
        try {
            LabSyscalls.setns(descriptor, LabSyscalls.CLONE_NEWNET);
        } finally {
            LabSyscalls.close(descriptor);
        }
    }
}
