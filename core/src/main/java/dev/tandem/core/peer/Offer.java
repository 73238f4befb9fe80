package dev.tandem.core.peer;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;

/**
 * What one node offers the other, mostly the one that serves. It travels in the facts, so it is as
 * fresh as they are.
 */
public sealed interface Offer {
    record None() implements Offer {}

    /**
     * Leave to join as a learner, now. Bound to the boot of the joiner that asked; the leader's
     * boot and lineage stand in the facts that carry it.
     *
     * @param memberId the seat the leader registered for this join; data that already belong to it
     *     are kept
     */
    record JoinToken(NodeName joiner, BootId joinerBoot, long memberId) implements Offer {}

    /**
     * The peer votes, and the entry at {@code index} was acknowledged with its vote: a replica of
     * that member that holds this entry holds everything. The promotion entry itself does not show
     * that, for what was appended behind it may have been acknowledged before it took effect.
     */
    record Confirmation(long memberId, long index) implements Offer {
        public Confirmation {
            if (index < 1) {
                throw new IllegalArgumentException(
                        "a confirmation stands at an index from 1, not " + index);
            }
        }
    }

    /**
     * From a joiner to the leader: the data of this seat are gone, and a member without its data
     * never works again in etcd. It wants another seat.
     */
    record GivenBack(long memberId) implements Offer {}

    /**
     * From the node without a replica whose name comes second, to the one whose name comes first:
     * the leave to create the cluster of a new pair. Who grants it never does so itself, whatever
     * mark it has, so one node of a pair can, and no more.
     *
     * @param installing a mark of a running installation is on the node that grants it
     */
    record Founding(boolean installing) implements Offer {}

    static Offer none() {
        return new None();
    }
}
