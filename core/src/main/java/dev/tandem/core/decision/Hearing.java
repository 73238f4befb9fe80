package dev.tandem.core.decision;

import dev.tandem.core.decision.History.Relation;
import dev.tandem.core.decision.Replica.Log;
import dev.tandem.core.decision.Replica.Seat;

/**
 * What a node makes of the peer's facts when it hears them, before it answers or decides anything
 * else.
 *
 * <p>A reply counts only if nothing was heard from the peer since the request for it was sent: an
 * old reply that overtakes a newer request would bring back a release, or a history, that no longer
 * holds.
 *
 * @param view what was heard last in this boot
 * @param count how often the peer was heard in this boot
 */
public record Hearing(PeerView view, long count) {
    /** At the beginning of a boot. */
    public static final Hearing NOTHING = new Hearing(PeerView.unheard(), 0);

    /** The peer asked, and its question carried these facts. */
    public Hearing asked(NodeFacts peer) {
        return new Hearing(new PeerView.Heard(peer), count + 1);
    }

    /**
     * The peer answered a question that was sent when {@link #count} stood at {@code
     * countWhenAsked}.
     */
    public Hearing answered(NodeFacts peer, long countWhenAsked) {
        return count == countWhenAsked ? asked(peer) : this;
    }

    /**
     * This node's facts after it heard the peer's. To be stored before the peer is answered.
     *
     * <p>What they were {@code before} is this node's view so far.
     *
     * <ul>
     *   <li>The own yield ends when the peer released it.
     *   <li>A yield of the peer that this node cannot use is released, and never used after that.
     *   <li>The replica becomes complete when the leader's confirmation is met.
     *   <li>An invitation that was for an earlier boot of the peer ends.
     * </ul>
     */
    public static NodeFacts taken(NodeFacts mine, PeerView before, NodeFacts peer) {
        // A peer that lost its disk counts its yields from 1 again, but not within one boot.
        long released =
                before instanceof PeerView.Heard(NodeFacts earlier)
                                && earlier.boot().equals(peer.boot())
                        ? mine.released()
                        : 0;
        Yield yield = peer.released() >= mine.yield().number() ? Yield.none() : mine.yield();
        boolean heir = yield instanceof Yield.None && canUseYieldOf(peer, mine.replica());
        return new NodeFacts(
                mine.node(),
                mine.boot(),
                confirmed(mine.replica(), peer),
                mine.server(),
                yield,
                mine.claim(),
                heir ? released : Math.max(released, peer.yield().number()),
                mine.offer() instanceof Offer.JoinToken token
                                && !token.joinerBoot().equals(peer.boot())
                        ? Offer.none()
                        : mine.offer());
    }

    private static boolean canUseYieldOf(NodeFacts peer, Replica replica) {
        if (!(replica instanceof Log log) || !log.complete() || !log.votes()) {
            return false;
        }
        if (!(peer.replica() instanceof Log theirs)) {
            return true;
        }
        Relation relation = History.relate(log, theirs);
        return relation == Relation.SAME || relation == Relation.MINE_AHEAD;
    }

    private static Replica confirmed(Replica replica, NodeFacts peer) {
        if (replica instanceof Log log
                && !log.complete()
                && log.seat() == Seat.ONE_OF_TWO
                && peer.offer() instanceof Offer.Confirmation(long memberId, long index)
                && memberId == log.memberId()
                && index <= log.lastIndex()
                && peer.replica() instanceof Log theirs
                && theirs.lineage().equals(log.lineage())) {
            return new Log(
                    log.lineage(),
                    log.term(),
                    log.lastIndex(),
                    log.commitIndex(),
                    log.seat(),
                    true,
                    log.memberId());
        }
        return replica;
    }
}
