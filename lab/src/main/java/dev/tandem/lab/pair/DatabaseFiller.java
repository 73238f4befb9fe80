package dev.tandem.lab.pair;

import dev.tandem.core.Failure;
import dev.tandem.host.etcd.api.EtcdAnswer;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdApi.Bytes;
import dev.tandem.host.etcd.api.HttpEtcdApi;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Makes a database large with keys of the size of Kubernetes' larger objects. */
final class DatabaseFiller {
    private static final int VALUE_BYTES = 16 * 1024;
    private static final int KEYS_PER_MEGABYTE = 1_000_000 / VALUE_BYTES;
    private static final int PARALLEL = 16;
    private static final int ATTEMPTS = 20;
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private DatabaseFiller() {}

    /** Writes what is missing to that size; keys of an earlier, smaller filling count. */
    static void fill(HttpEtcdApi etcd, long from, long to) {
        AtomicLong next = new AtomicLong(from * KEYS_PER_MEGABYTE);
        long end = to * KEYS_PER_MEGABYTE;
        Bytes value = Bytes.of("b".repeat(VALUE_BYTES));
        try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<?> writer :
                    IntStream.range(0, PARALLEL)
                            .mapToObj(_ -> writers.submit(() -> write(etcd, next, end, value)))
                            .toList()) {
                writer.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(
                    "the database is not filled", "it was interrupted", "run it again", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new Failure(
                    "the database is not filled",
                    cause == null ? "a write failed" : "a write failed: " + cause.getMessage(),
                    "look at etcd's log: tandem lab logs node-0 -u tandem-etcd",
                    e);
        }
    }

    private static void write(HttpEtcdApi etcd, AtomicLong next, long end, Bytes value) {
        for (long key = next.getAndIncrement(); key < end; key = next.getAndIncrement()) {
            Bytes name = Bytes.of("/ballast/%08x".formatted(key));
            EtcdAnswer<EtcdApi.Written> answer = etcd.put(name, value, LIMIT);
            // A burst of large writes may hold the leader up for an election.
            for (int attempt = 1; !answer.isOk() && attempt < ATTEMPTS; attempt++) {
                answer = etcd.put(name, value, LIMIT);
            }
            if (!answer.isOk()) {
                throw new IllegalStateException(answer.words());
            }
        }
    }
}
