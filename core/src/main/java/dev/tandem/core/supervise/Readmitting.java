package dev.tandem.core.supervise;

import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import java.util.Optional;

/**
 * What the node that leads does for its peer, a step at a time: a seat, the offer of it, the vote.
 */
final class Readmitting {
    private Readmitting() {}

    /**
     * Begins the next step, if there is one.
     *
     * @param before this node's facts as they were sent to the peer, before it answered
     */
    static void next(Turn turn, NodeFacts before) {
        if (turn.step.isPresent()
                || turn.now.isBefore(turn.stepNotBefore)
                || !turn.wanted.wanted()
                || turn.observation.server() != EtcdState.LEADING
                || !turn.looksAreFresh()) {
            return;
        }
        Step step =
                LeaderDecision.next(
                        asOfNow(turn.storedFacts(), before),
                        turn.peerView(),
                        Recovering.peerMembership(turn),
                        turn.observation.peer(),
                        true);
        switch (step) {
            case Step.Nothing() -> {}
            case Step.OfferSeat(Offer.JoinToken token) -> {
                turn.offer = token;
                turn.journal(new Notice.MembershipStep(step, "offered"));
                turn.act(new Action.TellPeer());
            }
            case Step.MarkComplete() -> Observing.complete(turn);
            case Step.AddLearner _,
                    Step.Promote _,
                    Step.Confirm _,
                    Step.DropLearner _,
                    Step.RemovePeer _ -> {
                long id = turn.nextId();
                turn.step = Optional.of(id);
                turn.act(new Action.ChangeMembership(id, step));
            }
        }
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

    static void ended(Turn turn, Event.StepEnded ended) {
        if (turn.step.filter(id -> id == ended.id()).isEmpty()) {
            return;
        }
        turn.step = Optional.empty();
        turn.journal(new Notice.MembershipStep(ended.step(), ended.outcome()));
        ended.offer().ifPresent(offer -> turn.offer = offer);
        turn.act(new Action.LookAtEtcd());
        if (ended.done()) {
            turn.act(new Action.TellPeer());
        } else {
            // Whatever hindered it is not gone in a millisecond; the heartbeat brings the next try.
            turn.stepNotBefore = turn.now.plus(turn.policy.stepPause());
        }
    }
}
