package dev.tandem.core.model;

import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.Hearing;
import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.decision.Membership;
import dev.tandem.core.decision.NodeFacts;
import dev.tandem.core.decision.PeerView;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.StartDecision;
import dev.tandem.core.decision.Word;

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

    default Hearing.Taken take(Hearing hearing, NodeFacts mine, Word word) {
        return hearing.take(mine, word);
    }

    default Word say(Hearing hearing, NodeFacts mine) {
        return hearing.say(mine);
    }

    default Health health(NodeFacts mine) {
        return Health.of(mine);
    }

    /** Whether the agent advances the commit index to the last entry before it forces a start. */
    default boolean keepsWholeLog() {
        return true;
    }

    /** Whether a departure stays recorded when the peer did not answer it. */
    default boolean keepsUnansweredDeparture() {
        return true;
    }

    /** Whether what was heard is forgotten at a reboot. */
    default boolean forgetsAtReboot() {
        return true;
    }
}
