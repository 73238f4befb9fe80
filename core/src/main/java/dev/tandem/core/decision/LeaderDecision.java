package dev.tandem.core.decision;

import dev.tandem.core.BootId;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.History;
import dev.tandem.core.peer.History.Relation;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.Intact;

/**
 * What the leader does about its peer's seat: one step at a time, from the live member list, again
 * after every change. A step that "failed" is not repeated blindly: the next one is decided from
 * what the list then says.
 */
public final class LeaderDecision {

    /** The peer in the live member list. */
    public sealed interface Listed {
        record Nowhere() implements Listed {}

        record Learner(long memberId) implements Listed {}

        record Voter(long memberId) implements Listed {}
    }

    public sealed interface Step {
        record Nothing() implements Step {}

        /**
         * Add the peer as a learner; then offer it a fresh {@link Offer.JoinToken} for its current
         * boot.
         */
        record AddLearner(BootId joinerBoot) implements Step {}

        /** Offer this token; the member is listed already. */
        record OfferSeat(Offer.JoinToken token) implements Step {}

        record Promote(long memberId) implements Step {}

        /**
         * Write an entry now that the peer votes; once it is acknowledged, offer a {@link
         * Offer.Confirmation} with its index.
         */
        record Confirm(long memberId) implements Step {}

        /**
         * Record that the replica of this node is complete. Its peer, the other voter, elected it,
         * and no node votes for a log that lacks an entry of its own.
         */
        record MarkComplete() implements Step {}

        /** Take a learner off the list that nobody uses any more. */
        record DropLearner(long memberId) implements Step {}

        /** Grant the peer's departure: take it off the list. */
        record RemovePeer(long memberId) implements Step {}
    }

    private LeaderDecision() {}

    /**
     * The next step.
     *
     * @param mine this node's facts as they were before the peer was asked: so "the learner holds
     *     all of it" is not chased by the writes that came in since
     * @param peerWanted false while the peer is being taken out of the cluster for good
     */
    public static Step next(
            NodeFacts mine,
            PeerView peer,
            PeerMembership membership,
            Listed listed,
            boolean peerWanted) {
        if (mine.server() != EtcdState.LEADING || !(mine.replica() instanceof Intact log)) {
            return new Step.Nothing();
        }
        if (!log.complete()) {
            return log.role() == Replica.MemberRole.ONE_OF_TWO
                    ? new Step.MarkComplete()
                    : new Step.Nothing();
        }
        if (!peerWanted) {
            return listed instanceof Listed.Learner(long memberId)
                    ? new Step.DropLearner(memberId)
                    : new Step.Nothing();
        }
        if (!(peer instanceof PeerView.FactsKnown(NodeFacts facts)) || !membership.peerPresent()) {
            return new Step.Nothing();
        }
        return switch (listed) {
            case Listed.Nowhere() -> register(log, facts);
            case Listed.Learner(long memberId) -> learner(mine, log, facts, memberId);
            case Listed.Voter(long memberId) -> voter(mine, facts, memberId);
        };
    }

    private static Step register(Intact log, NodeFacts peer) {
        boolean peerAhead =
                peer.replica() instanceof Intact theirs
                        && History.relate(log, theirs) == Relation.PEER_AHEAD;
        return peerAhead || peer.server().mayServe()
                ? new Step.Nothing()
                : new Step.AddLearner(peer.boot());
    }

    private static Step learner(NodeFacts mine, Intact log, NodeFacts peer, long memberId) {
        boolean givenBack = peer.offer() instanceof Offer.GivenBack(long seat) && seat == memberId;
        if (givenBack && !peer.server().mayServe()) {
            return new Step.DropLearner(memberId);
        }
        boolean ours =
                peer.replica() instanceof Intact theirs
                        && theirs.memberId() == memberId
                        && theirs.lineage().equals(log.lineage());
        if (ours) {
            return switch (peer.server()) {
                case FOLLOWING, LEADING ->
                        peer.replica() instanceof Intact theirs
                                        && theirs.lastIndex() >= log.lastIndex()
                                ? new Step.Promote(memberId)
                                : new Step.Nothing();
                case LEADERLESS, HUNG, UNSEEN -> new Step.Nothing();
                case STOPPED ->
                        invites(mine.offer(), peer, memberId)
                                ? new Step.Nothing()
                                : new Step.OfferSeat(
                                        new Offer.JoinToken(peer.node(), peer.boot(), memberId));
            };
        }
        // A member id whose data directory is gone never works again in etcd: it needs a new seat.
        return peer.server().mayServe() || invites(mine.offer(), peer, memberId)
                ? new Step.Nothing()
                : new Step.DropLearner(memberId);
    }

    private static boolean invites(Offer offer, NodeFacts peer, long memberId) {
        return offer instanceof Offer.JoinToken token
                && token.memberId() == memberId
                && token.joinerBoot().equals(peer.boot());
    }

    private static Step voter(NodeFacts mine, NodeFacts peer, long memberId) {
        if (peer.abdication() instanceof Abdication.Departure departure
                && departure.id() > mine.released()) {
            return new Step.RemovePeer(memberId);
        }
        boolean toConfirm =
                peer.replica() instanceof Intact theirs
                        && !theirs.complete()
                        && theirs.memberId() == memberId;
        boolean confirmed =
                mine.offer() instanceof Offer.Confirmation(long confirmedId, long _)
                        && confirmedId == memberId;
        return toConfirm && !confirmed ? new Step.Confirm(memberId) : new Step.Nothing();
    }
}
