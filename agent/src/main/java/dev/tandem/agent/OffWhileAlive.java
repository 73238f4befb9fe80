package dev.tandem.agent;

import dev.tandem.core.decision.PowerReading;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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
    private final InstantSource clock;
    private long since;
    private volatile boolean found;
    private volatile Instant lastFound = Instant.EPOCH;

    OffWhileAlive(LongSupplier nanos, InstantSource clock) {
        this.nanos = nanos;
        this.clock = clock;
    }

    /** Takes a reading in; whether the node is there is asked only where it matters. */
    void read(PowerReading reading, BooleanSupplier nodeIsThere) {
        switch (reading) {
            case ON -> {
                since = 0;
                if (found) {
                    lastFound = clock.instant();
                    found = false;
                }
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

    /**
     * When it was last so, by the time of day of this node; the epoch if it never was. Whoever took
     * the BMC's word before that was deceived, and remains so when the BMC comes to its senses.
     */
    Instant lastFound() {
        return found ? clock.instant() : lastFound;
    }
}
