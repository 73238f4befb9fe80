package dev.tandem.core.peer;

import dev.tandem.core.BootId;
import dev.tandem.core.decision.PeerMembership;
import dev.tandem.core.peer.History.Relation;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.Intact;
import dev.tandem.core.replica.Replica.MemberRole;

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
 * @param peerKnownNotAhead for {@link PeerMembership}
 */
public record PeerConversation(PeerView view, long count, boolean peerKnownNotAhead) {

    /**
     * This node's facts and what it heard, after it took in a word. The facts are stored before
     * anything is answered.
     */
    public record Received(NodeFacts mine, PeerConversation conversation) {}

    /** At the beginning of a boot. */
    public static PeerConversation nothing() {
        return new PeerConversation(PeerView.unheard(), 0, false);
    }

    /** What to say to the peer now. */
    public PeerMessage say(NodeFacts mine) {
        return switch (view) {
            case PeerView.Unknown() -> new PeerMessage.Hello(mine.boot());
            case PeerView.BootKnown(BootId boot) -> new PeerMessage.Facts(mine, boot);
            case PeerView.FactsKnown(NodeFacts peer) -> new PeerMessage.Facts(mine, peer.boot());
        };
    }

    /**
     * The peer asked, and its question carried this word; or it answered a question that was sent
     * when {@link #count} stood where it stands now. An answer that was overtaken is not for this.
     */
    public Received take(NodeFacts mine, PeerMessage word) {
        // A peer that lost its disk counts its abdications from 1 again, but not within one boot.
        NodeFacts known = view.isIn(word.boot()) ? mine : forNewBoot(mine, word.boot());
        if (word instanceof PeerMessage.Facts(NodeFacts peer, BootId to)
                && to.equals(mine.boot())) {
            NodeFacts after = taken(known, peer);
            return new Received(
                    after,
                    new PeerConversation(
                            new PeerView.FactsKnown(peer),
                            count + 1,
                            peerKnownNotAhead || History.notAhead(after, peer)));
        }
        PeerView greeted = view.isIn(word.boot()) ? view : new PeerView.BootKnown(word.boot());
        return new Received(known, new PeerConversation(greeted, count + 1, peerKnownNotAhead));
    }

    private static NodeFacts forNewBoot(NodeFacts mine, BootId boot) {
        boolean stale =
                mine.offer() instanceof Offer.JoinToken token && !token.joinerBoot().equals(boot);
        return new NodeFacts(
                mine.node(),
                mine.boot(),
                mine.replica(),
                mine.server(),
                mine.abdication(),
                mine.claim(),
                0,
                stale ? Offer.none() : mine.offer());
    }

    /**
     * This node's abdication ends when the peer released it. An abdication of the peer that this
     * node cannot use is released, and never used after that. The replica becomes complete when the
     * leader's confirmation is met.
     */
    private static NodeFacts taken(NodeFacts mine, NodeFacts peer) {
        Abdication abdication =
                peer.released() >= mine.abdication().number()
                        ? Abdication.none()
                        : mine.abdication();
        // Only a readable log shows that the abdication was not used in an earlier boot.
        boolean releases =
                mine.replica() instanceof Intact log
                        && !(abdication instanceof Abdication.None && canUseYieldOf(peer, log));
        return new NodeFacts(
                mine.node(),
                mine.boot(),
                confirmed(mine.replica(), peer),
                mine.server(),
                abdication,
                mine.claim(),
                releases ? Math.max(mine.released(), peer.abdication().number()) : mine.released(),
                mine.offer());
    }

    private static boolean canUseYieldOf(NodeFacts peer, Intact log) {
        if (!log.complete() || !log.votes()) {
            return false;
        }
        if (!(peer.replica() instanceof Intact theirs)) {
            return true;
        }
        Relation relation = History.relate(log, theirs);
        return relation == Relation.SAME || relation == Relation.MINE_AHEAD;
    }

    private static Replica confirmed(Replica replica, NodeFacts peer) {
        if (replica instanceof Intact log
                && !log.complete()
                && log.role() == MemberRole.ONE_OF_TWO
                && peer.offer() instanceof Offer.Confirmation(long memberId, long index)
                && memberId == log.memberId()
                && index <= log.lastIndex()
                && peer.replica() instanceof Intact theirs
                && theirs.lineage().equals(log.lineage())) {
            return log.asComplete();
        }
        return replica;
    }
}
