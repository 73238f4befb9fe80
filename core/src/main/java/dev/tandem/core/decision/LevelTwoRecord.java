package dev.tandem.core.decision;

import java.time.Duration;
import java.util.Optional;

/**
 * What the second fencing level left behind, which does not pass through the agent, and the moments
 * that tell whether it is about the boot in which the peer was last heard. All are readings of one
 * clock that runs from boot to boot and is never set, in hundredths of a second.
 *
 * @param ordered when the fence was ordered
 * @param span between the two times at which Off was read; empty where nobody knows of two
 * @param staysOff the node was not to be switched on again
 * @param giver whose BMC read Off then
 * @param lastHeard when the peer last gave a sign of life: when it was heard, or seen in the
 *     membership again
 * @param falseOffEnded when the peer's BMC last ceased to read Off while the peer was there
 */
public record LevelTwoRecord(
        long ordered,
        Optional<Duration> span,
        boolean staysOff,
        Giver giver,
        SinceBoot lastHeard,
        SinceBoot falseOffEnded) {

    /**
     * Whose BMC gave it, as far as that can be told when it is found. The BMC may be reached at
     * another address by then, and what it tells of its machine is no word about the one that was
     * switched.
     */
    public enum Giver {
        /**
         * It named the peer with its Off, or it is the one that is in use; or it was a further
         * level, of which the plan says so.
         */
        THE_PEERS,
        /** It was reached at another address, or nobody noted at which. */
        UNKNOWN
    }

    /** When something last happened in this boot. */
    public sealed interface SinceBoot {
        record Never() implements SinceBoot {}

        record At(long time) implements SinceBoot {}

        /** It happened or not: that could not be noted, or cannot be read. */
        record Unknown() implements SinceBoot {}
    }

    /**
     * Whether it is of the boot that was heard last. The record stays, and one that was false would
     * be found once more. A moment that is not known is held against it; of two that are the same
     * nobody knows which was first.
     */
    public boolean isOfLastHeardBoot() {
        boolean unheardSince = lastHeard instanceof SinceBoot.At(long heard) && ordered > heard;
        boolean believable =
                switch (falseOffEnded) {
                    case SinceBoot.Never() -> true;
                    case SinceBoot.At(long ended) -> ordered > ended;
                    case SinceBoot.Unknown() -> false;
                };
        return unheardSince && believable;
    }

    /** The same, where something else tells whose it was. */
    public LevelTwoRecord givenBy(Giver whose) {
        return new LevelTwoRecord(ordered, span, staysOff, whose, lastHeard, falseOffEnded);
    }

    /** For how long the peer's BMC read Off; empty where nobody knows that it was the peer's. */
    public Optional<Duration> spanOfPeer() {
        return giver == Giver.THE_PEERS ? span : Optional.empty();
    }

    /**
     * Whether what the BMC reads now speaks against it. All levels verify the BMC as the plan says,
     * but each asks in its own moment and perhaps by another protocol: that one may have been
     * answered wrongly, or somebody has switched the node on since.
     */
    public boolean isRefutedBy(PowerReading now) {
        return staysOff && now == PowerReading.ON;
    }

    /**
     * Whether a peer that is in the membership speaks against it: it was not switched off by that
     * order, and the record must not speak when it goes missing later.
     *
     * @param missedForSure by when Corosync has missed a node that lost its power
     */
    public static boolean isRefutedByPresence(Duration sinceOrder, Duration missedForSure) {
        return sinceOrder.compareTo(missedForSure) > 0;
    }
}
