package dev.tandem.core.replica;

/** An etcd data directory as it was read from the disk of its own node, never from a poller. */
public sealed interface Replica {

    /** What the replica's own member list says of its node. */
    enum Seat {
        /** This node and its peer vote. Nothing is acknowledged without both. */
        ONE_OF_TWO,
        /** This node alone votes; the peer is unlisted or learns. It acknowledges alone. */
        SOLE,
        /** A majority of three or more voters decides, and etcd needs no help. */
        ONE_OF_MANY,
        LEARNER,
        /** The log holds the removal of this very node. */
        REMOVED
    }

    /** No data directory, or one without a log. */
    record Missing() implements Replica {}

    /** A data directory that etcd or its checksums refuse. Kept as it is. */
    record Damaged(String finding) implements Replica {}

    /**
     * A readable log.
     *
     * @param complete holds all that was acknowledged: true for the replica an installation or a
     *     take-over began with, false from the moment a node joins until the leader's {@link
     *     Offer.Confirmation}
     */
    record Log(
            Lineage lineage,
            long term,
            long lastIndex,
            long commitIndex,
            Seat seat,
            boolean complete,
            long memberId)
            implements Replica {
        public Log {
            if (commitIndex < 0 || commitIndex > lastIndex) {
                throw new IllegalArgumentException(
                        "commit index "
                                + commitIndex
                                + " lies outside a log that ends at "
                                + lastIndex);
            }
            if (term < 0) {
                throw new IllegalArgumentException("term " + term + " is negative");
            }
            if (complete && (seat == Seat.LEARNER || seat == Seat.REMOVED)) {
                throw new IllegalArgumentException(
                        "a replica whose seat is " + seat + " is not complete");
            }
        }

        /**
         * Up to here the log may have been acknowledged by this node without the peer's copy. A
         * sole voter acknowledges what it appends, and its stored commit index lags behind that.
         */
        public long acknowledged() {
            return seat == Seat.SOLE ? lastIndex : commitIndex;
        }

        /** The same, declared to hold all that was acknowledged. */
        public Log asComplete() {
            return new Log(lineage, term, lastIndex, commitIndex, seat, true, memberId);
        }

        public boolean votes() {
            return seat == Seat.SOLE || seat == Seat.ONE_OF_TWO || seat == Seat.ONE_OF_MANY;
        }
    }
}
