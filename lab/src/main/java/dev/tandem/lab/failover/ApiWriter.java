package dev.tandem.lab.failover;

import dev.tandem.lab.kube.KubeApi;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * A client that changes an object without pause, through the address that follows the serving node,
 * and remembers when the API accepted it.
 */
final class ApiWriter implements AutoCloseable {
    private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String NAME = "bench";

    /** A write takes milliseconds. What takes longer went to a node that is gone, or waits. */
    private static final Duration LIMIT = Duration.ofMillis(500);

    /** Two hundred writes in ten seconds measure as well as ten thousand, and leave etcd alone. */
    private static final Duration BREATH = Duration.ofMillis(50);

    private final KubeApi api;
    private final ConcurrentSkipListSet<Long> accepted = new ConcurrentSkipListSet<>();
    private final Thread thread;
    private volatile boolean ends;

    ApiWriter(KubeApi api) throws IOException {
        this.api = api;
        KubeApi.Answer made =
                api.post(
                        CONFIG_MAPS,
                        """
                        {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"}}
                        """
                                .formatted(NAME));
        if (!made.accepted() && made.code() != 409) {
            throw new IOException("the API takes no ConfigMap: " + made);
        }
        this.thread = Thread.ofVirtual().name("api-writer").start(this::write);
    }

    private void write() {
        for (long number = 0; !ends; number++) {
            try {
                String body = "{\"data\":{\"number\":\"%d\"}}".formatted(number);
                KubeApi.Answer answer =
                        api.send(
                                "PATCH",
                                CONFIG_MAPS + "/" + NAME,
                                "application/merge-patch+json",
                                body,
                                LIMIT);
                if (answer.accepted()) {
                    accepted.add(System.nanoTime());
                }
            } catch (IOException e) {
                // Nobody is at the address, or has no etcd: the gap is what is measured.
            }
            try {
                Thread.sleep(BREATH);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Whether a write was accepted after that moment of {@link System#nanoTime}. */
    boolean writesSince(long nanos) {
        return !accepted.tailSet(nanos).isEmpty();
    }

    /** When writing went on after the longest time without an accepted write since that moment. */
    long endOfLongestGapSince(long nanos) {
        long gap = 0;
        long end = nanos;
        long before = nanos;
        for (long at : accepted.tailSet(nanos)) {
            if (at - before > gap) {
                gap = at - before;
                end = at;
            }
            before = at;
        }
        return end;
    }

    @Override
    public void close() {
        ends = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
