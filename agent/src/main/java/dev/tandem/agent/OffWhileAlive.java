package dev.tandem.agent;

import dev.tandem.core.decision.PowerReading;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Finds a BMC that reads Off while its node is in the cluster: it tells of a moment that is gone,
 * or of another machine. That it reads Off is no proof then, until it has read On once.
 */
final class OffWhileAlive {
    /** Longer than Corosync takes, with the slowest profile, to miss a node that lost its power. */
    static final Duration LONG_ENOUGH = Duration.ofSeconds(10);

    private final LongSupplier nanos;
    private long since;
    private volatile boolean found;

    OffWhileAlive(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Takes a reading in; whether the node is there is asked only where it matters. */
    void read(PowerReading reading, BooleanSupplier nodeIsThere) {
        switch (reading) {
            case ON -> {
                since = 0;
                found = false;
            }
            case OFF -> {
                if (!nodeIsThere.getAsBoolean()) {
                    since = 0;
                    return;
                }
                long now = nanos.getAsLong();
                if (since == 0) {
                    since = now;
                }
                found |= now - since >= LONG_ENOUGH.toNanos();
            }
            case UNKNOWN -> {
                // Neither for it nor against it.
            }
        }
    }

    boolean found() {
        return found;
    }
}
