package dev.tandem.core.peer;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.replica.Replica;

/**
 * What a node says of itself. The node is the only witness: nothing here comes from a poller, and
 * nothing compares its clock with another node's.
 *
 * <p>They are told as a {@link PeerMessage}, to one boot of the peer.
 *
 * @param released the highest number among the abdications of the peer's present boot that this
 *     node released
 */
public record NodeFacts(
        NodeName node,
        BootId boot,
        Replica replica,
        EtcdState server,
        Abdication abdication,
        Claim claim,
        long released,
        Offer offer) {
    public NodeFacts {
        if (released < 0) {
            throw new IllegalArgumentException(
                    "released abdications are numbered from 1; 0 is none, not " + released);
        }
        if (claim instanceof Claim.TakeOver(Epoch epoch)
                && !(replica instanceof Replica.Intact log
                        && log.lineage().current().equals(epoch))) {
            throw new IllegalArgumentException(
                    "a claim on epoch " + epoch + " without a log of that epoch");
        }
    }

    /** The same with another offer. */
    public NodeFacts offering(Offer other) {
        return new NodeFacts(node, boot, replica, server, abdication, claim, released, other);
    }

    /** This node could begin or continue a history alone, as far as its own disk shows. */
    public boolean canSeed() {
        return replica instanceof Replica.Intact log
                && log.complete()
                && log.votes()
                && abdication instanceof Abdication.None;
    }
}
