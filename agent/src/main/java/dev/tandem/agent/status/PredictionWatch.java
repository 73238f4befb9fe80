package dev.tandem.agent.status;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What the prediction of a recovery needs and nothing else looks at. No decision depends on it. Any
 * thread may ask.
 */
public final class PredictionWatch {
    /** Each look costs two questions to Corosync. */
    public static final Duration INTERVAL = Duration.ofSeconds(30);

    private final Supplier<Optional<Duration>> missedAfter;
    private final LongSupplier logBytes;
    private volatile Seen seen = Seen.NOTHING;

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
        seen = new Seen(missedAfter.get(), Optional.of(logBytes.getAsLong()));
    }

    Seen seen() {
        return seen;
    }
}
