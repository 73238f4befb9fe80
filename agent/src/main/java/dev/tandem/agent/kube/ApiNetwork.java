package dev.tandem.agent.kube;

import dev.tandem.core.decision.FenceDelay.Link;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Whether this node is the wrong place for the API's address, since its interface to that network
 * has no carrier and the peer's has. With a switch that fails for both there is no better place,
 * and nothing moves; nor does it with one that comes and goes. Any thread may ask.
 */
public final class ApiNetwork {
    /** The peer may be about to say the same: it tells every second or two. */
    static final Duration LOST = Duration.ofSeconds(5);

    /** A port that comes and goes must not take the address along each time. */
    static final Duration BACK = Duration.ofSeconds(30);

    private final Supplier<Link> link;
    private final BooleanSupplier peersIsUp;
    private final LongSupplier nanos;
    private Link last = Link.UNKNOWN;
    private long since;
    private boolean lost;

    /**
     * @param link of this node to the network of the API's address, read now
     * @param peersIsUp whether the peer has said just now that its own is up
     */
    public ApiNetwork(Supplier<Link> link, BooleanSupplier peersIsUp, LongSupplier nanos) {
        this.link = link;
        this.peersIsUp = peersIsUp;
        this.nanos = nanos;
        this.since = nanos.getAsLong();
    }

    /** Whether clients reach this node less well than its peer. */
    public boolean isWorseThanThePeers() {
        return look() && peersIsUp.getAsBoolean();
    }

    /** What the peer is told: up only if the address may come and stay. */
    public Link toTell() {
        return look() ? Link.DOWN : current();
    }

    private synchronized Link current() {
        return last;
    }

    private synchronized boolean look() {
        Link now = link.get();
        long at = nanos.getAsLong();
        if (now != last) {
            last = now;
            since = at;
        }
        Duration lasted = Duration.ofNanos(at - since);
        if (now == Link.DOWN) {
            lost |= lasted.compareTo(LOST) >= 0;
        } else if (lasted.compareTo(BACK) >= 0) {
            lost = false;
        }
        return lost;
    }
}
