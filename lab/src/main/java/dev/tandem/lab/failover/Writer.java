package dev.tandem.lab.failover;

import dev.tandem.host.etcd.EtcdAnswer;
import dev.tandem.host.etcd.EtcdApi;
import dev.tandem.host.etcd.EtcdApi.Bytes;
import dev.tandem.host.etcd.HttpEtcdApi;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import javax.net.ssl.SSLContext;

/**
 * A client that writes numbered keys without pause and remembers which of them were acknowledged,
 * and when. It asks one node after the other, as a client with two endpoints does; a write that was
 * not answered is not repeated under the same number, so whatever is counted as acknowledged was
 * acknowledged once and must be found for ever.
 */
public final class Writer implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMillis(700);
    private static final int PAGE = 5_000;

    private final String prefix;
    private final List<HttpEtcdApi> nodes;
    private final ConcurrentSkipListMap<Long, Long> acknowledged = new ConcurrentSkipListMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ends;

    /**
     * @param endpoints of both nodes
     * @param parallel how many writes are under way at a time
     */
    public Writer(String prefix, List<URI> endpoints, SSLContext tls, int parallel) {
        this.prefix = prefix;
        this.nodes = endpoints.stream().map(endpoint -> new HttpEtcdApi(endpoint, tls)).toList();
        for (int i = 0; i < parallel; i++) {
            long first = (long) i << 40;
            threads.add(Thread.ofVirtual().name("writer-" + i).start(() -> write(first)));
        }
    }

    private void write(long first) {
        int at = 0;
        for (long number = first; !ends; number++) {
            EtcdAnswer<EtcdApi.Written> answer =
                    nodes.get(at).put(key(number), Bytes.of(Long.toString(number)), LIMIT);
            if (answer.isOk()) {
                acknowledged.put(number, System.nanoTime());
            } else {
                at = (at + 1) % nodes.size();
                try {
                    // A node that is off refuses at once; without a breath this would be a loop.
                    Thread.sleep(Duration.ofMillis(20));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    private Bytes key(long number) {
        return Bytes.of(prefix + "%016x".formatted(number));
    }

    public int acknowledgedSoFar() {
        return acknowledged.size();
    }

    /** The first acknowledgement after that moment of {@link System#nanoTime}. */
    public Optional<Long> firstAfter(long nanos) {
        return acknowledged.values().stream().filter(at -> at - nanos > 0).min(Long::compare);
    }

    /** The longest time without an acknowledgement since that moment. */
    public Duration longestGapSince(long nanos) {
        List<Long> times =
                acknowledged.values().stream().filter(at -> at - nanos > 0).sorted().toList();
        long gap = 0;
        long before = nanos;
        for (long at : times) {
            gap = Math.max(gap, at - before);
            before = at;
        }
        return Duration.ofNanos(gap);
    }

    /** When writing went on after the longest time without an acknowledgement. */
    public long endOfLongestGapSince(long nanos) {
        long gap = 0;
        long end = nanos;
        long before = nanos;
        for (long at :
                acknowledged.values().stream().filter(time -> time - nanos > 0).sorted().toList()) {
            if (at - before > gap) {
                gap = at - before;
                end = at;
            }
            before = at;
        }
        return end;
    }

    /** Ends the writing; what was acknowledged is known for certain after this. */
    public void stop() {
        ends = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The acknowledged keys that this node does not have. */
    public List<String> missingOn(int node) {
        TreeSet<String> missing = new TreeSet<>();
        for (Map.Entry<Long, Long> entry : acknowledged.entrySet()) {
            missing.add(key(entry.getKey()).text());
        }
        Bytes from = Bytes.of(prefix);
        Bytes end = from.prefixEnd();
        while (true) {
            EtcdAnswer<EtcdApi.Found> answer =
                    nodes.get(node)
                            .range(
                                    from,
                                    Optional.of(end),
                                    PAGE,
                                    EtcdApi.Consistency.LINEARIZABLE,
                                    Duration.ofSeconds(20));
            EtcdApi.Found found =
                    answer.toOptional()
                            .orElseThrow(() ->
                                    new IllegalStateException(
                                            "the keys cannot be read: " + answer.words()));
            found.keyValues().forEach(pair -> missing.remove(pair.key().text()));
            if (!found.more()) {
                return List.copyOf(missing);
            }
            from = Bytes.of(found.keyValues().getLast().key().text() + "\0");
        }
    }

    @Override
    public void close() {
        stop();
        nodes.forEach(HttpEtcdApi::close);
    }
}
