package dev.tandem.host.etcd;

import dev.tandem.host.etcd.api.EtcdAnswer;
import dev.tandem.host.etcd.api.EtcdApi;
import java.time.Duration;
import java.util.Optional;

/**
 * Asks the server now and then for something that it has to take from its database, and finds out
 * when that comes to no end. The question has a thread of its own, so that nobody waits for it.
 */
public final class ReadProbe {
    /**
     * A read waits while the database is brought to the disk, which takes two flushes. With a disk
     * that needs ten seconds for one, which is slow but not dead, that is twenty (ADR 9).
     */
    public static final Duration STALLED = Duration.ofSeconds(30);

    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final EtcdApi.Bytes ANY = EtcdApi.Bytes.of("/tandem/probe");

    private final EtcdApi etcd;
    private final Runnable whenStalled;
    private boolean underWay;
    private boolean stalled;
    private long servers;
    private long lastAsked = System.nanoTime();

    public ReadProbe(EtcdApi etcd, Runnable whenStalled) {
        this.etcd = etcd;
        this.whenStalled = whenStalled;
    }

    /** Asks, unless a question is under way or the last one was asked just now. */
    public synchronized void ask() {
        long now = System.nanoTime();
        if (!underWay && now - lastAsked >= INTERVAL.toNanos()) {
            underWay = true;
            lastAsked = now;
            long asked = servers;
            Thread.ofVirtual().name("etcd-store").start(() -> read(asked));
        }
    }

    private void read(long asked) {
        EtcdAnswer<EtcdApi.Found> answer =
                etcd.range(ANY, Optional.empty(), 1, EtcdApi.Consistency.SERIALIZABLE, STALLED);
        boolean now;
        synchronized (this) {
            underWay = false;
            // A server that refuses is not stalled: only silence counts.
            now = asked == servers && answer instanceof EtcdAnswer.Unclear;
            stalled = now;
        }
        if (now) {
            whenStalled.run();
        }
    }

    synchronized boolean stalled() {
        return stalled;
    }

    /** Another server from here on. */
    synchronized void forget() {
        servers++;
        stalled = false;
        lastAsked = System.nanoTime();
    }
}
