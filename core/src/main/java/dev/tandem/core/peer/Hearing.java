package dev.tandem.core.peer;

import dev.tandem.core.BootId;
import dev.tandem.core.decision.Membership;
import dev.tandem.core.peer.History.Relation;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.Log;
import dev.tandem.core.replica.Replica.Seat;

/**
 * What a node heard from its peer in this boot; it lives in memory and dies with the boot.
 *
 * <p>Two rules keep old words from doing harm. Facts that were told to an earlier boot of the
 * listener count as a greeting only. A reply counts only if nothing was heard from the peer since
 * the question was sent: an old reply that overtakes a newer question would bring back a release,
 * or a history, that no longer holds.
 *
 * @param view what was heard last
 * @param count how often the peer was heard
 * @param peerKnownNotAhead for {@link Membership}
 */
public record Hearing(PeerView view, long count, boolean peerKnownNotAhead) {

    /**
     * This node's facts and what it heard, after it took in a word. The facts are stored before
     * anything is answered.
     */
    public record Taken(NodeFacts mine, Hearing hearing) {}

    /** At the beginning of a boot. */
    public static Hearing nothing() {
        return new Hearing(PeerView.unheard(), 0, false);
    }

    /** What to say to the peer now. */
    public Word say(NodeFacts mine) {
        return switch (view) {
            case PeerView.Unheard() -> new Word.Greeting(mine.boot());
            case PeerView.Greeted(BootId boot) -> new Word.Telling(mine, boot);
            case PeerView.Heard(NodeFacts peer) -> new Word.Telling(mine, peer.boot());
        };
    }

    /**
     * The peer answered a question that was sent when {@link #count} stood at {@code
     * countWhenAsked}.
     */
    public Taken answered(NodeFacts mine, Word word, long countWhenAsked) {
        return count == countWhenAsked ? take(mine, word) : new Taken(mine, this);
    }

    /** The peer asked, and its question carried this word. */
    public Taken take(NodeFacts mine, Word word) {
        // A peer that lost its disk counts its yields from 1 again, but not within one boot.
        NodeFacts known = view.isIn(word.boot()) ? mine : forNewBoot(mine, word.boot());
        if (word instanceof Word.Telling(NodeFacts peer, BootId to) && to.equals(mine.boot())) {
            NodeFacts after = taken(known, peer);
            return new Taken(
                    after,
                    new Hearing(
                            new PeerView.Heard(peer),
                            count + 1,
                            peerKnownNotAhead || History.notAhead(after, peer)));
        }
        PeerView greeted = view.isIn(word.boot()) ? view : new PeerView.Greeted(word.boot());
        return new Taken(known, new Hearing(greeted, count + 1, peerKnownNotAhead));
    }

    private static NodeFacts forNewBoot(NodeFacts mine, BootId boot) {
        boolean stale =
                mine.offer() instanceof Offer.JoinToken token && !token.joinerBoot().equals(boot);
        return new NodeFacts(
                mine.node(),
                mine.boot(),
                mine.replica(),
                mine.server(),
                mine.yield(),
                mine.claim(),
                0,
                stale ? Offer.none() : mine.offer());
    }

    /**
     * The own yield ends when the peer released it. A yield of the peer that this node cannot use
     * is released, and never used after that. The replica becomes complete when the leader's
     * confirmation is met.
     */
    private static NodeFacts taken(NodeFacts mine, NodeFacts peer) {
        Yield yield = peer.released() >= mine.yield().number() ? Yield.none() : mine.yield();
        // Only a readable log shows that the yield was not used in an earlier boot.
        boolean releases =
                mine.replica() instanceof Log log
                        && !(yield instanceof Yield.None && canUseYieldOf(peer, log));
        return new NodeFacts(
                mine.node(),
                mine.boot(),
                confirmed(mine.replica(), peer),
                mine.server(),
                yield,
                mine.claim(),
                releases ? Math.max(mine.released(), peer.yield().number()) : mine.released(),
                mine.offer());
    }

    private static boolean canUseYieldOf(NodeFacts peer, Log log) {
        if (!log.complete() || !log.votes()) {
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
            return log.asComplete();
        }
        return replica;
    }
}
