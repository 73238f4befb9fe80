package dev.tandem.core.health;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How long writes would stop if the peer failed now, in parts that follow each other. Those that
 * depend on hardware or settings are measured or configured; the others are constants, estimated
 * from earlier runs of the lab's bench, which prints the prediction beside what it measures.
 */
public record RecoveryPrediction(Map<Part, Duration> parts) {
    /** What takes time, in its order. */
    public enum Part {
        /** Corosync misses the peer. */
        DETECT,
        /** Pacemaker orders the fence. */
        ORDER,
        /** This node lets the other go first, for both may live. */
        SPLIT_DELAY,
        /** The first fencing level fails, and the second begins. */
        SECOND_LEVEL,
        /** The BMC switches the machine off. */
        SWITCH_OFF,
        /** The BMC is asked, and what it said is stored. */
        FENCE,
        /** etcd is ended and its log read. */
        LOG,
        /** etcd starts alone and is elected. */
        ETCD,
        /** The API server finds its etcd again. */
        API;

        /** As in the status. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    // Where each comes from. No table has the parts: they were estimated from phases that the bench
    // printed in the runs of which the README has the whole (3.7 s, of which 2.2 s are DETECT).

    /** From the loss of the peer to the order: estimated from phases of the bench. */
    private static final Duration ORDER = Duration.ofMillis(100);

    /**
     * The same if the peer was the one of the two that orders, and the other is elected first:
     * estimated from phases of the bench.
     */
    private static final Duration ORDER_AFTER_ELECTION = Duration.ofSeconds(1);

    /** By design: the session is warm, so one request, and a second one to read the state. */
    private static final int REQUESTS = 2;

    /**
     * Two shells, Python, ipmitool for each question, and the agent's own two: not measured, added
     * up; the way is that of ADR 26.
     */
    private static final Duration BY_SECOND_LEVEL = Duration.ofSeconds(8);

    /** A durable write: estimated from phases of the bench. */
    private static final Duration STORED = Duration.ofMillis(20);

    /** Of a BMC that was not measured yet: assumed; real ones take up to 2 s for an answer. */
    private static final Duration USUAL_LATENCY = Duration.ofSeconds(1);

    /** etcd is ended, and the log of an empty database read: estimated from phases of the bench. */
    private static final Duration STOPPED_AND_READ = Duration.ofMillis(150);

    /** What more log takes to read: estimated; no figure is recorded. */
    private static final int LOG_MILLIS_PER_MEGABYTE = 5;

    /** etcd starts alone and is elected, with an empty database: estimated, as ORDER. */
    private static final Duration STARTED_AND_ELECTED = Duration.ofMillis(350);

    /** The README: 4.5 to 5.7 s with 100 MB and 8.7 s with 1 GB, over 3.7 s with none. */
    private static final int DATABASE_MILLIS_PER_MEGABYTE = 7;

    /** ADR 14: 0.54 s at most from etcd's first write to the next one; rounded up. */
    private static final Duration FOUND_AGAIN = Duration.ofMillis(600);

    /** A peer that lost its power has none of these: its BMC reads Off at once. */
    private static final Set<Part> WHILE_POWERED = Set.of(Part.SPLIT_DELAY, Part.SWITCH_OFF);

    /**
     * What it follows from.
     *
     * @param missedAfter token and consensus of Corosync
     * @param peerOrders whether the peer is Pacemaker's DC
     * @param splitDelay how long this node lets the other go first
     * @param untilSecondLevel how long the first fencing level takes to fail and the second to be
     *     let loose; absent if the first would do
     * @param bmcLatency of one request; absent if it was not measured yet
     * @param switchOff how long the peer's machine takes to switch off
     * @param api whether the plan has an address of the API
     */
    public record Known(
            Duration missedAfter,
            boolean peerOrders,
            Duration splitDelay,
            Optional<Duration> untilSecondLevel,
            Optional<Duration> bmcLatency,
            Duration switchOff,
            long logBytes,
            long databaseBytes,
            boolean api) {}

    public RecoveryPrediction {
        parts = Collections.unmodifiableMap(new EnumMap<>(parts));
    }

    public static RecoveryPrediction of(Known known) {
        Map<Part, Duration> parts = new EnumMap<>(Part.class);
        parts.put(Part.DETECT, known.missedAfter());
        parts.put(Part.ORDER, known.peerOrders() ? ORDER_AFTER_ELECTION : ORDER);
        parts.put(Part.SPLIT_DELAY, known.splitDelay());
        known.untilSecondLevel()
                .ifPresent(time -> parts.put(Part.SECOND_LEVEL, time.plus(BY_SECOND_LEVEL)));
        parts.put(Part.SWITCH_OFF, known.switchOff());
        parts.put(
                Part.FENCE,
                known.bmcLatency().orElse(USUAL_LATENCY).multipliedBy(REQUESTS).plus(STORED));
        parts.put(
                Part.LOG,
                STOPPED_AND_READ.plus(perMegabyte(LOG_MILLIS_PER_MEGABYTE, known.logBytes())));
        parts.put(
                Part.ETCD,
                STARTED_AND_ELECTED.plus(
                        perMegabyte(DATABASE_MILLIS_PER_MEGABYTE, known.databaseBytes())));
        if (known.api()) {
            parts.put(Part.API, FOUND_AGAIN);
        }
        return new RecoveryPrediction(parts);
    }

    private static Duration perMegabyte(int millis, long bytes) {
        return Duration.ofMillis(millis * bytes / 1_000_000);
    }

    /** Until etcd writes, if the peer lost its power and its BMC has not. */
    public Duration afterPowerLoss() {
        return sum(Set.of(Part.API, Part.SPLIT_DELAY, Part.SWITCH_OFF));
    }

    /** Until etcd writes, if the peer hung or could not be reached: it is switched off first. */
    public Duration afterHang() {
        return sum(Set.of(Part.API));
    }

    /** Until the API writes after a loss of power; absent where it has no address. */
    public Optional<Duration> ofApiAfterPowerLoss() {
        return parts.containsKey(Part.API) ? Optional.of(sum(WHILE_POWERED)) : Optional.empty();
    }

    private Duration sum(Set<Part> without) {
        return parts.entrySet().stream()
                .filter(part -> !without.contains(part.getKey()))
                .map(Map.Entry::getValue)
                .reduce(Duration.ZERO, Duration::plus);
    }
}
