package dev.tandem.agent.state;

import dev.tandem.agent.state.BootTimestamps.Event;
import dev.tandem.agent.state.BootTimestamps.Moment;
import dev.tandem.core.decision.PowerReading;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Finds a BMC that reads Off while its node is in the cluster: it tells of a moment that is gone,
 * or of another machine. That it reads Off is no proof then, until it has read On once. Whoever
 * took its word before that was deceived, and remains so when the BMC comes to its senses.
 */
public final class BmcCredibility {
    private final LongSupplier nanos;
    private final BootTimestamps moments;
    private final Duration missedWithin;
    private long since;
    private volatile boolean found;

    /**
     * @param missedWithin how long Corosync takes at most to miss a node that lost its power
     */
    public BmcCredibility(LongSupplier nanos, BootTimestamps moments, Duration missedWithin) {
        this.nanos = nanos;
        this.moments = moments;
        this.missedWithin = missedWithin;
        this.found = !(moments.last(Event.BMC_DECEIVES) instanceof Moment.Never);
    }

    /** Takes a reading in; whether the node is there is asked only where it matters. */
    public void read(PowerReading reading, BooleanSupplier nodeIsThere) {
        switch (reading) {
            case ON -> {
                since = 0;
                // That it deceived until now must be on record before it is believed again.
                if (found && moments.note(Event.BMC_DECEIVED)) {
                    moments.forget(Event.BMC_DECEIVES);
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
                if (now - since >= missedWithin.toNanos()
                        && (!found || moments.last(Event.BMC_DECEIVES) instanceof Moment.Unknown)) {
                    found = true;
                    boolean _ = moments.note(Event.BMC_DECEIVES);
                }
            }
            case UNKNOWN -> {
                // Neither for it nor against it.
            }
        }
    }

    public boolean found() {
        return found;
    }
}
