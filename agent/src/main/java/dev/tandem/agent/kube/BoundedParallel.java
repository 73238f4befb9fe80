package dev.tandem.agent.kube;

import java.io.IOException;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** Does the same for many, several at a time, until one of them fails. */
final class BoundedParallel<T> {
    /** What is done for one. */
    interface Work<T> {
        void on(T one) throws IOException, InterruptedException;
    }

    private final int atATime;

    BoundedParallel(int atATime) {
        this.atATime = atATime;
    }

    /**
     * Returns when all are done. After the first failure no other is begun: an API that has gone
     * away would make each wait for its limit.
     */
    void each(Collection<T> all, Work<T> work) throws IOException, InterruptedException {
        Queue<T> left = new ConcurrentLinkedQueue<>(all);
        try (ExecutorService workers =
                Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("several").factory())) {
            var started =
                    IntStream.range(0, Math.min(atATime, all.size()))
                            .mapToObj(_ ->
                                    workers.submit(() -> {
                                        try {
                                            for (T one = left.poll();
                                                    one != null;
                                                    one = left.poll()) {
                                                work.on(one);
                                            }
                                        } finally {
                                            // Empty already, unless this one failed.
                                            left.clear();
                                        }
                                        return null;
                                    }))
                            .toList();
            try {
                for (Future<?> worker : started) {
                    worker.get();
                }
            } finally {
                // After an interrupt nothing more is begun.
                left.clear();
            }
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failed -> throw failed;
                case RuntimeException failed -> throw failed;
                case null, default -> throw new IOException(e.getCause());
            }
        }
    }
}
