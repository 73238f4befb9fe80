package dev.tandem.agent.status;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What the prediction of a recovery needs: the size of the log, and how long the Corosync that runs
 * takes to miss a node, which also bounds for how long a peer that was switched off may be present.
 * Any thread may ask.
 */
public final class PredictionWatch {
    /** Each look costs two questions to Corosync. */
    public static final Duration INTERVAL = Duration.ofSeconds(30);

    private final Supplier<Optional<Duration>> missedAfter;
    private final LongSupplier logBytes;
    private volatile Seen seen = Seen.NOTHING;
    private volatile Optional<Duration> lastTold = Optional.empty();

    /**
     * What was last seen.
     *
     * @param missedAfter token and consensus with which Corosync runs; empty where it does not tell
     * @param logBytes of etcd, while it runs too; empty before the first look
     */
    public record Seen(Optional<Duration> missedAfter, Optional<Long> logBytes) {
        static final Seen NOTHING = new Seen(Optional.empty(), Optional.empty());
    }

    public PredictionWatch(Supplier<Optional<Duration>> missedAfter, LongSupplier logBytes) {
        this.missedAfter = missedAfter;
        this.logBytes = logBytes;
    }

    public void look() {
        Optional<Duration> told = missedAfter.get();
        lastTold = told.or(() -> lastTold);
        seen = new Seen(told, Optional.of(logBytes.getAsLong()));
    }

    /** Token and consensus, as Corosync last told them. */
    public Optional<Duration> lastMissedAfter() {
        return lastTold;
    }

    Seen seen() {
        return seen;
    }
}
