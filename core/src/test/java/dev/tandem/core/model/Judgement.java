package dev.tandem.core.model;

import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.Hearing;
import dev.tandem.core.decision.History;
import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.decision.Membership;
import dev.tandem.core.decision.NodeFacts;
import dev.tandem.core.decision.PeerView;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.StartDecision;

/**
 * What the nodes of the model think with: the product's functions. A mutant overrides one of them.
 */
interface Judgement {
    Judgement PRODUCT = new Judgement() {};

    default Decision decide(Situation now) {
        return StartDecision.decide(now);
    }

    default LeaderDecision.Step lead(
            NodeFacts mine, PeerView peer, Membership membership, LeaderDecision.Listed listed) {
        return LeaderDecision.next(mine, peer, membership, listed, true);
    }

    default NodeFacts taken(NodeFacts mine, PeerView before, NodeFacts peer) {
        return Hearing.taken(mine, before, peer);
    }

    default boolean notAhead(NodeFacts mine, NodeFacts peer) {
        return History.notAhead(mine, peer);
    }

    default Health health(NodeFacts mine) {
        return Health.of(mine);
    }

    /** Whether the agent advances the commit index to the last entry before it forces a start. */
    default boolean keepsWholeLog() {
        return true;
    }

    /** Whether an old reply is dropped when the peer was heard meanwhile. */
    default boolean dropsOvertakenReplies() {
        return true;
    }

    /** Whether what was heard is forgotten at a reboot. */
    default boolean forgetsAtReboot() {
        return true;
    }
}
