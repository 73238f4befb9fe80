package dev.tandem.lab.pair;

import dev.tandem.host.etcd.api.EtcdAnswer;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdApi.Bytes;
import dev.tandem.host.etcd.api.HttpEtcdApi;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/**
 * A client that writes numbered keys without pause and remembers which of them were acknowledged,
 * and when. It asks one node after the other, as a client with two endpoints does; a write that was
 * not answered is not repeated under the same number, so whatever is counted as acknowledged was
 * acknowledged once and must be found forever.
 */
public final class Writer implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMillis(700);
    private static final int PAGE = 5_000;

    private final String prefix;
    private final List<HttpEtcdApi> nodes;
    private final ConcurrentSkipListMap<Long, Acknowledgement> acknowledged =
            new ConcurrentSkipListMap<>();
    private final ConcurrentLinkedQueue<String> backwards = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Long> paused = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Long> resumed = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private final ReentrantReadWriteLock pen = new ReentrantReadWriteLock();
    private volatile boolean ends;
    private volatile OptionalLong stopped = OptionalLong.empty();
    private volatile int acceptedLosses;
    private volatile long lastAcknowledged = System.nanoTime();

    /**
     * A write that was answered.
     *
     * @param nanos when, of {@link System#nanoTime}
     * @param node which of the endpoints answered
     */
    public record Acknowledgement(long nanos, int node, long revision) {}

    /** A time without any acknowledgement, between two moments of {@link System#nanoTime}. */
    public record Gap(long fromNanos, long toNanos) {
        public Duration length() {
            return Duration.ofNanos(toNanos - fromNanos);
        }
    }

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
        long revision = 0;
        int losses = 0;
        for (long number = first; !ends; number++) {
            if (losses != acceptedLosses) {
                losses = acceptedLosses;
                revision = 0;
            }
            EtcdAnswer<EtcdApi.Written> answer;
            pen.readLock().lock();
            try {
                answer = nodes.get(at).put(key(number), Bytes.of(Long.toString(number)), LIMIT);
                if (answer instanceof EtcdAnswer.Ok<EtcdApi.Written>(EtcdApi.Written written)) {
                    long now = System.nanoTime();
                    lastAcknowledged = now;
                    acknowledged.put(number, new Acknowledgement(now, at, written.revision()));
                    // This write began after the one before it was answered: it is later.
                    if (written.revision() <= revision) {
                        backwards.add(
                                "%s at revision %d after %d"
                                        .formatted(
                                                key(number).text(), written.revision(), revision));
                    }
                    revision = written.revision();
                }
            } finally {
                pen.readLock().unlock();
            }
            if (!answer.isOk()) {
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

    /** Writes nothing until {@link #resume}; returns when the last write has been answered. */
    public void pause() {
        pen.writeLock().lock();
        paused.add(System.nanoTime());
    }

    /** Goes on after {@link #pause}, which the same thread has called. */
    public void resume() {
        resumed.add(System.nanoTime());
        pen.writeLock().unlock();
    }

    /** Writes whose revision was not above that of an earlier one; there must not be any. */
    public List<String> backwards() {
        return List.copyOf(backwards);
    }

    /**
     * What was acknowledged since that moment of {@link System#nanoTime} has been given up by a
     * person, while nothing was served: it need not be found any more.
     */
    public void forgetSince(long nanos) {
        acknowledged.values().removeIf(each -> each.nanos() - nanos > 0);
        int next = acceptedLosses + 1;
        acceptedLosses = next;
    }

    /** All acknowledgements in the order of time. */
    public List<Acknowledgement> acknowledgements() {
        return acknowledged.values().stream()
                .sorted(Comparator.comparingLong(Acknowledgement::nanos))
                .toList();
    }

    private Bytes key(long number) {
        return Bytes.of(prefix + "%016x".formatted(number));
    }

    public int acknowledgedSoFar() {
        return acknowledged.size();
    }

    /** The first acknowledgement after that moment of {@link System#nanoTime}. */
    public Optional<Long> firstAfter(long nanos) {
        return acknowledged.values().stream()
                .map(Acknowledgement::nanos)
                .filter(at -> at - nanos > 0)
                .min(Long::compare);
    }

    /** Whether it has been writing since that moment and nothing was acknowledged. */
    public boolean nothingSince(long nanos) {
        boolean wroteAllTheTime =
                !ends && !pen.isWriteLocked() && resumed.stream().noneMatch(at -> at - nanos > 0);
        return wroteAllTheTime && lastAcknowledged - nanos < 0;
    }

    /**
     * The longest time without an acknowledgement since that moment, pauses aside. The one that has
     * not ended counts too, until now or until the writing ended.
     */
    public Gap longestGapSince(long nanos) {
        Gap longest = new Gap(nanos, nanos);
        for (Gap gap : gapsSince(nanos, Duration.ZERO)) {
            if (gap.length().compareTo(longest.length()) > 0) {
                longest = gap;
            }
        }
        return longest;
    }

    /** Every time longer than that without an acknowledgement, pauses aside; also the last one. */
    public List<Gap> gapsSince(long nanos, Duration longerThan) {
        // The end before the acknowledgements: what comes in between is no gap.
        long until = stopped.orElseGet(System::nanoTime);
        return gaps(
                acknowledgements().stream().map(Acknowledgement::nanos).toList(),
                pauses(List.copyOf(paused), List.copyOf(resumed)),
                nanos,
                until,
                longerThan);
    }

    /** A pause that has not ended goes on. */
    private static List<Gap> pauses(List<Long> from, List<Long> to) {
        List<Gap> pauses = new ArrayList<>();
        for (int i = 0; i < from.size(); i++) {
            pauses.add(new Gap(from.get(i), i < to.size() ? to.get(i) : Long.MAX_VALUE));
        }
        return pauses;
    }

    /**
     * @param acknowledged in the order of time
     * @param pauses in the order of time; a gap ends where one begins, and begins where one ends
     */
    static List<Gap> gaps(
            List<Long> acknowledged,
            List<Gap> pauses,
            long since,
            long until,
            Duration longerThan) {
        List<Gap> gaps = new ArrayList<>();
        long before = since;
        for (long at : Stream.concat(acknowledged.stream(), Stream.of(until)).toList()) {
            if (at - before <= 0) {
                continue;
            }
            for (Gap pause : pauses) {
                if (pause.fromNanos() - at < 0 && pause.toNanos() - before > 0) {
                    gaps.add(new Gap(before, Math.max(before, pause.fromNanos())));
                    before = Math.min(at, pause.toNanos());
                }
            }
            gaps.add(new Gap(before, at));
            before = at;
        }
        return gaps.stream().filter(gap -> gap.length().compareTo(longerThan) > 0).toList();
    }

    /** Ends the writing; what was acknowledged is known for certain after this. */
    public void stop() {
        ends = true;
        if (stopped.isEmpty()) {
            stopped = OptionalLong.of(System.nanoTime());
        }
        if (pen.isWriteLockedByCurrentThread()) {
            resume();
        }
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
        acknowledged.keySet().forEach(number -> missing.add(key(number).text()));
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
