package dev.tandem.core.model;

import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.Intent;
import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.decision.PeerMembership;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.StartDecision;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerConversation;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.peer.PeerView;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes of the model think with: the product's functions. A mutant overrides one of them.
 */
interface Judgement {
    Judgement PRODUCT = new Judgement() {};

    default Decision decide(Situation now) {
        return StartDecision.decide(now);
    }

    default LeaderDecision.Step lead(
            NodeFacts mine,
            PeerView peer,
            PeerMembership membership,
            LeaderDecision.Listed listed) {
        return LeaderDecision.next(mine, peer, membership, listed, true);
    }

    default PeerConversation.Received take(
            PeerConversation conversation, NodeFacts mine, PeerMessage word) {
        return conversation.take(mine, word);
    }

    default PeerMessage say(PeerConversation conversation, NodeFacts mine) {
        return conversation.say(mine);
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

    default Optional<PeerProof.Fenced> ofFence(
            Proofs.Order order, PeerView now, Proofs.Machine machine, PowerReading observed) {
        return Proofs.ofFence(order, now, machine, "redfish", observed, Instant.EPOCH);
    }

    default boolean isOfLastHeardBoot(long ordered, long lastHeard) {
        return Proofs.isOfLastHeardBoot(ordered, lastHeard);
    }

    default List<PeerProof> afterSignOfLife(List<PeerProof> proofs) {
        return Proofs.afterSignOfLife(proofs);
    }

    default List<PeerProof> afterJoining(List<PeerProof> proofs) {
        return Proofs.afterJoining(proofs);
    }

    /** Whose BMC it is, as the agent that asks it takes it. */
    default Proofs.Machine machine(boolean anothers) {
        return anothers ? Proofs.Machine.ANOTHER : Proofs.Machine.THE_PEER;
    }

    /** What an agent has on its disk, and therefore still has when it is started again. */
    enum Kept {
        YIELD,
        RELEASED,
        LAST_HEARD
    }

    default boolean keeps(Kept what) {
        return true;
    }

    /**
     * Whether a peer that is there at the first look of a restarted agent gave a sign of life: it
     * may have been away in between.
     */
    default boolean firstSightCounts() {
        return true;
    }

    /**
     * Whether a peer that is seen again makes the records of the second level old, as one that is
     * heard again does.
     */
    default boolean sightMakesRecordsOld() {
        return true;
    }

    /** Whether the second level records when it ordered a fence, and not when that was done. */
    default boolean recordsTheOrder() {
        return true;
    }

    /** What an agent asks for while its own etcd refuses it; null for nothing. */
    default @Nullable Intent whileRefused(boolean peerGoneAndProvenOff) {
        return peerGoneAndProvenOff ? new Intent.Recover() : null;
    }
}
