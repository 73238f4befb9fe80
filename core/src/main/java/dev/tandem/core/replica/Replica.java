package dev.tandem.core.replica;

/** An etcd data directory as it was read from the disk of its own node, never from a poller. */
public sealed interface Replica {

    /** What the replica's own member list says of its node. */
    enum MemberRole {
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
    record Intact(
            Lineage lineage,
            long term,
            long lastIndex,
            long commitIndex,
            MemberRole role,
            boolean complete,
            long memberId)
            implements Replica {
        public Intact {
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
            if (complete && (role == MemberRole.LEARNER || role == MemberRole.REMOVED)) {
                throw new IllegalArgumentException(
                        "a replica whose seat is " + role + " is not complete");
            }
        }

        /**
         * Up to here the log may have been acknowledged by this node without the peer's copy. A
         * sole voter acknowledges what it appends, and its stored commit index lags behind that.
         */
        public long acknowledged() {
            return role == MemberRole.SOLE ? lastIndex : commitIndex;
        }

        /** The same, declared to hold all that was acknowledged. */
        public Intact asComplete() {
            return new Intact(lineage, term, lastIndex, commitIndex, role, true, memberId);
        }

        /** The same, known to lack something that was acknowledged. */
        public Intact asIncomplete() {
            return new Intact(lineage, term, lastIndex, commitIndex, role, false, memberId);
        }

        public boolean votes() {
            return role == MemberRole.SOLE
                    || role == MemberRole.ONE_OF_TWO
                    || role == MemberRole.ONE_OF_MANY;
        }
    }
}
