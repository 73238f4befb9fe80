package dev.tandem.host.bmc.ipmi;

import dev.tandem.host.bmc.BmcFault;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Leaves the sessions of a BMC to orders when they may run out: some have four. Each look opens
 * one, and that of a look which is cut off stays for a minute. Two nodes that look every few
 * seconds would have none left for a fence.
 */
final class SpareSessions {
    /** A BMC ends a session that nobody uses after 60 s (IPMI 2.0, 6.12.15). */
    static final Duration UNUSED = Duration.ofMinutes(1);

    private final LongSupplier nanos;
    private Optional<Pause> pause = Optional.empty();

    private record Pause(long since, BmcFault why) {}

    /**
     * @param nanos the monotonic clock
     */
    SpareSessions(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** A session was left behind, or there was none. */
    synchronized void areFew(BmcFault why) {
        pause = Optional.of(new Pause(nanos.getAsLong(), why));
    }

    /** One was opened and closed. */
    synchronized void suffice() {
        pause = Optional.empty();
    }

    /** Why a look should wait: what the BMC said last. */
    synchronized Optional<BmcFault> heldBack() {
        long now = nanos.getAsLong();
        return pause.filter(one -> now - one.since() < UNUSED.toNanos()).map(Pause::why);
    }
}
