package dev.tandem.core.peer;

import dev.tandem.core.replica.Epoch;

/**
 * The highest commit index that the peer told while both voted. Nothing is committed in a pair
 * without both logs, so this node's log reaches at least as far, unless its disk has lost what it
 * had stored. It survives a reboot, for that is when a disk is exchanged or rolled back.
 */
public sealed interface PeerCommit {
    record None() implements PeerCommit {}

    /**
     * Up to here.
     *
     * @param epoch the indexes of another one mean nothing here
     */
    record Told(Epoch epoch, long index) implements PeerCommit {}

    static PeerCommit none() {
        return new None();
    }

    /** 0 where nothing was told in this epoch. */
    default long in(Epoch epoch) {
        return this instanceof Told told && told.epoch().equals(epoch) ? told.index() : 0;
    }

    /** The higher of the two; what was told in another epoch is over. */
    default PeerCommit atLeast(Epoch epoch, long index) {
        return in(epoch) >= index ? this : new Told(epoch, index);
    }
}
