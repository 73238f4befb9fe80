package dev.tandem.drill.client;

import dev.tandem.lab.kube.LabKubeApi;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * A client that changes an object without pause, through the address that follows the serving node,
 * and remembers when the API accepted it.
 */
public final class ApiWriter implements AutoCloseable {
    private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

    /** A write takes milliseconds. What takes longer went to a node that is gone, or waits. */
    private static final Duration LIMIT = Duration.ofMillis(500);

    /** Two hundred writes in ten seconds measure as well as ten thousand, and leave etcd alone. */
    private static final Duration BREATH = Duration.ofMillis(50);

    private final LabKubeApi api;
    private final String name;
    private final ConcurrentSkipListSet<Long> accepted = new ConcurrentSkipListSet<>();
    private final Thread thread;
    private volatile boolean ends;

    /**
     * @param name of the object that is changed; made where there is none
     */
    public ApiWriter(LabKubeApi api, String name) throws IOException {
        this.api = api;
        this.name = name;
        LabKubeApi.Answer made =
                api.post(
                        CONFIG_MAPS,
                        """
                        {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"}}
                        """
                                .formatted(name));
        if (!made.accepted() && made.code() != 409) {
            throw new IOException("the API takes no ConfigMap: " + made);
        }
        this.thread = Thread.ofVirtual().name("api-writer").start(this::write);
    }

    private void write() {
        for (long number = 0; !ends; number++) {
            try {
                String body = "{\"data\":{\"number\":\"%d\"}}".formatted(number);
                LabKubeApi.Answer answer =
                        api.send(
                                "PATCH",
                                CONFIG_MAPS + "/" + name,
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
    public boolean writesSince(long nanos) {
        return !accepted.tailSet(nanos).isEmpty();
    }

    /** The first write that was accepted after that moment, of {@link System#nanoTime}. */
    public OptionalLong firstAfter(long nanos) {
        Long first = accepted.higher(nanos);
        return first == null ? OptionalLong.empty() : OptionalLong.of(first);
    }

    /** The longest time without an accepted write since that moment, up to now. */
    public Duration longestGapSince(long nanos) {
        long gap = 0;
        long before = nanos;
        for (long at : accepted.tailSet(nanos)) {
            gap = Math.max(gap, at - before);
            before = at;
        }
        return Duration.ofNanos(Math.max(gap, System.nanoTime() - before));
    }

    /** When writing went on after the longest time without an accepted write since that moment. */
    public long endOfLongestGapSince(long nanos) {
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
