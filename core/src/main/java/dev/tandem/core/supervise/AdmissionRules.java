package dev.tandem.core.supervise;

import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.replica.Claim;
import java.util.Optional;

/**
 * What the node that leads does for its peer, a step at a time: a seat, the offer of it, the vote.
 */
final class AdmissionRules {
    private AdmissionRules() {}

    /**
     * Begins the next step, if there is one.
     *
     * @param before this node's facts as they were sent to the peer, before it answered
     */
    static void next(NextState next, NodeFacts before) {
        if (next.step.isPresent()
                || next.now.isBefore(next.stepNotBefore)
                || !next.wanted.wanted()
                || next.observation.server() != EtcdState.LEADING
                || !next.looksAreFresh()
                || claimIsOnTheDisk(next)) {
            return;
        }
        Step step =
                LeaderDecision.next(
                        asOfNow(next.storedFacts(), before),
                        next.peerView(),
                        RunRules.peerMembership(next),
                        next.observation.peer(),
                        true);
        switch (step) {
            case Step.Nothing() -> {}
            case Step.OfferSeat(Offer.JoinToken token) -> {
                next.offer = token;
                next.journal(new Notice.MembershipStep(step, "offered"));
                next.act(new Action.TellPeer());
            }
            case Step.MarkComplete() -> ObservationRules.complete(next);
            case Step.AddLearner _,
                    Step.Promote _,
                    Step.Confirm _,
                    Step.DropLearner _,
                    Step.RemovePeer _ -> {
                long id = next.nextId();
                next.step = Optional.of(id);
                next.act(new Action.ChangeMembership(id, step));
            }
        }
    }

    /**
     * Where a claim is on the disk, an agent that starts later reads there that nobody else has
     * served since. A peer with a vote may serve alone one day, so it is let in when that is gone.
     */
    private static boolean claimIsOnTheDisk(NextState next) {
        return !(next.stored.claimOn(next.observation.replica()) instanceof Claim.None);
    }

    /**
     * Replica and claim are those that the peer answered to; the rest is of now. Otherwise an offer
     * made meanwhile would be withdrawn although the peer may use it.
     */
    private static NodeFacts asOfNow(NodeFacts now, NodeFacts before) {
        return new NodeFacts(
                before.node(),
                before.boot(),
                before.replica(),
                now.server(),
                now.abdication(),
                before.claim(),
                now.released(),
                now.offer());
    }

    static void ended(NextState next, Event.StepEnded ended) {
        if (next.step.filter(id -> id == ended.id()).isEmpty()) {
            return;
        }
        next.step = Optional.empty();
        next.journal(new Notice.MembershipStep(ended.step(), ended.outcome()));
        ended.offer().ifPresent(offer -> next.offer = offer);
        next.act(new Action.LookAtEtcd());
        if (ended.done()) {
            next.act(new Action.TellPeer());
        } else {
            // Whatever hindered it is not gone in a millisecond; the heartbeat brings the next try.
            next.stepNotBefore = next.now.plus(next.policy.stepPause());
        }
    }
}
