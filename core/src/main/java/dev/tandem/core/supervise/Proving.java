package dev.tandem.core.supervise;

import dev.tandem.core.BootId;
import dev.tandem.core.decision.Incident;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which proofs there are that the peer is off: how they begin, and what ends them. Whether one is
 * enough is the start decision's business.
 */
final class Proving {
    private Proving() {}

    /** Corosync was asked. Its silence says nothing about the peer. */
    static void member(Turn turn, Membership now) {
        if (!now.known()) {
            return;
        }
        if (now.peerPresent() != turn.membership.peerPresent() || !turn.membership.known()) {
            turn.journal(new Notice.MembershipChanged(now.peerPresent(), now.quorate()));
        }
        boolean back = now.peerPresent() && turn.peerMissing();
        turn.membership = now;
        turn.membershipAt = turn.now;
        if (now.peerPresent()) {
            // Of an Off that was read and has not been told yet. Corosync may have had the peer
            // back a moment before the look that found it, and a true Off may fall between the
            // two. Pacemaker saw the peer come back as well: it fences again when it is lost again,
            // and that fence is believed. A peer that was never missed may be one that Corosync
            // has not missed yet, and only lived this long ago.
            turn.aliveAt =
                    turn.aliveAt.later(
                            back ? turn.now : turn.now.plus(turn.policy.missedForSure().negated()));
            turn.want(draft -> draft.met = true);
            if (turn.missedSinceProof) {
                // Not while Corosync has merely not noticed yet that the peer is gone.
                peerLives(turn, "back in Corosync's membership");
            } else if (turn.now.isLaterThan(turn.policy.missedForSure(), turn.provenAt)) {
                peerLives(turn, "still in Corosync's membership");
            }
        } else {
            turn.missedSinceProof = true;
            turn.missedSinceHeard = true;
        }
    }

    /** A sign of life that is younger than every proof. */
    static void peerLives(Turn turn, String how) {
        List<PeerProof> left = Proofs.afterSignOfLife(turn.wanted.proofs());
        if (left.size() < turn.wanted.proofs().size()) {
            turn.journal(new Notice.ProofsVoid(how, turn.wanted.proofs()));
            turn.want(draft -> draft.proofs = new ArrayList<>(left));
        }
    }

    // ---- fences -------------------------------------------------------------------------------

    static void fenced(Turn turn, Event.FenceAnswered answer) {
        member(turn, answer.membership());
        Optional<Action.Disbelief> disbelief = disbelief(turn, answer);
        if (disbelief.isPresent()) {
            turn.journal(new Notice.OffNotBelieved(answer.method(), disbelief.get()));
            turn.act(
                    new Action.Acknowledge(
                            answer.caller(),
                            new Action.Acknowledgement.NotBelieved(disbelief.get())));
            return;
        }
        PowerReading observed = answer.reading().power();
        turn.reading = observed;
        Optional<PeerProof.Fenced> proof =
                Proofs.ofFence(
                        answer.order(),
                        turn.peerView(),
                        answer.machine(),
                        answer.method(),
                        observed,
                        answer.time());
        if (proof.isEmpty()) {
            turn.journal(
                    new Notice.FenceProvesNothing(
                            answer.method(),
                            observed,
                            answer.machine(),
                            answer.order().peerBoot().map(BootId::value).orElse("unknown")));
            if (isHeardInAnotherBoot(turn, answer.order())) {
                // Heard in another boot than the order was for. Pacemaker fences again, and that
                // order is for the boot that is known by now.
                turn.act(
                        new Action.Acknowledge(
                                answer.caller(),
                                new Action.Acknowledgement.NotBelieved(
                                        Action.Disbelief.OTHER_BOOT)));
                return;
            }
        } else if (!isKnown(turn, proof.get())) {
            turn.want(draft -> draft.proofs.add(proof.get()));
            made(turn, answer.reading().at());
            turn.journal(new Notice.Fenced(proof.get()));
        } else {
            // It proves the same once more, and what was asked before it does not refute it.
            turn.provenAt = turn.provenAt.later(answer.reading().at());
        }
        turn.acknowledgeWhenStored(answer.caller());
    }

    private static Optional<Action.Disbelief> disbelief(Turn turn, Event.FenceAnswered answer) {
        if (answer.machine() == Proofs.Machine.ANOTHER) {
            return Optional.of(Action.Disbelief.ANOTHER_MACHINE);
        }
        if (answer.machine() == Proofs.Machine.NOT_TOLD) {
            return Optional.of(Action.Disbelief.MACHINE_NOT_TOLD);
        }
        if (answer.reading().power() != PowerReading.OFF) {
            return Optional.of(Action.Disbelief.NOT_OFF);
        }
        if (turn.deceives) {
            return Optional.of(Action.Disbelief.OFF_WHILE_ALIVE);
        }
        // In a later boot it may well be alive: then the fence says nothing about that one.
        if (!isHeardInAnotherBoot(turn, answer.order())) {
            if (answer.reading().at().isBefore(turn.aliveAt)) {
                return Optional.of(Action.Disbelief.ALIVE_SINCE);
            }
        }
        // Many BMCs read Off, or what was true long ago, right after a restart of their own.
        boolean twice = answer.reading().span().compareTo(turn.policy.offAgain()) >= 0;
        return answer.reading().accepted() || twice
                ? Optional.empty()
                : Optional.of(Action.Disbelief.READ_ONCE);
    }

    private static boolean isHeardInAnotherBoot(Turn turn, Proofs.Order order) {
        return !(turn.peerView() instanceof PeerView.Unknown)
                && order.peerBoot().filter(turn.peerView()::isIn).isEmpty();
    }

    private static boolean isKnown(Turn turn, PeerProof.Fenced proof) {
        return turn.wanted.proofs().stream()
                .anyMatch(old ->
                        old instanceof PeerProof.Fenced fence
                                && fence.peerBoot().equals(proof.peerBoot())
                                && fence.observed() == proof.observed());
    }

    /**
     * A proof speaks of the moment at which something was seen, not of the one at which it is taken
     * in. So this may go back behind a statement that was taken in between; an answer to a question
     * that was asked between the two then ends the statement too, and a person states it again.
     */
    private static void made(Turn turn, Moment seen) {
        turn.provenAt = seen;
        turn.missedSinceProof = !turn.membership.peerPresent();
    }

    // ---- people -------------------------------------------------------------------------------

    static void stated(Turn turn, Event.PersonStated event) {
        member(turn, event.membership());
        Optional<Action.StatementRefusal> refusal =
                turn.view().refusalOf(event.statement(), event.incident(), event.bmc());
        if (refusal.isPresent()) {
            turn.act(
                    new Action.Acknowledge(
                            event.caller(), new Action.Acknowledgement.NotTaken(refusal.get())));
            return;
        }
        turn.reading = event.bmc();
        PeerProof.Stated statement =
                new PeerProof.Stated(
                        event.statement(),
                        turn.node.peer(),
                        Incident.of(turn.wantedFacts(), turn.peerView()),
                        event.bmc(),
                        event.person(),
                        event.time());
        turn.journal(new Notice.Stated(statement));
        turn.want(draft -> {
            // It takes the place of one that a BMC has spoken against since.
            draft.proofs.removeIf(old ->
                    old instanceof PeerProof.Stated earlier
                            && saysOff(earlier)
                            && saysOff(statement));
            draft.proofs.add(statement);
        });
        made(turn, turn.now);
        turn.acknowledgeWhenStored(event.caller());
    }

    private static boolean saysOff(PeerProof.Stated statement) {
        return statement.statement() != PeerProof.Statement.KEEP_PEERS_HISTORY;
    }

    // ---- the peer's BMC, read in passing --------------------------------------------------------

    static void read(Turn turn, Event.PeerPowerRead read) {
        member(turn, read.membership());
        turn.reading = read.reading();
        turn.readAt = read.time();
        judgeBmc(turn, read);
        boolean counts = read.reading() == PowerReading.OFF && read.ofThePeer() && !turn.deceives;
        if (!counts) {
            turn.heldOff = Optional.empty();
        } else {
            Moment first =
                    turn.heldOff
                            .filter(span ->
                                    !turn.now.isLaterThan(turn.policy.heldOffGap(), span.last()))
                            .map(VolatileState.Span::first)
                            .orElse(turn.now);
            turn.heldOff = Optional.of(new VolatileState.Span(first, turn.now));
        }
        if (read.reading() == PowerReading.ON) {
            // For good: the BMC may fall silent later, and that makes nobody right.
            turn.want(draft -> draft.proofs.replaceAll(Proving::contradicted));
        }
        if (isHeldOff(turn) && turn.membership.waitsForAll() && Recovering.mayStartAlone(turn)) {
            // Pacemaker starts nothing on a node that has not met its peer.
            turn.journal(new Notice.LoneStart());
            turn.act(new Action.DeclarePeerOff(turn.membership));
        }
    }

    private static PeerProof contradicted(PeerProof proof) {
        return proof instanceof PeerProof.Stated statement && saysOff(statement)
                ? new PeerProof.Stated(
                        statement.statement(),
                        statement.about(),
                        statement.incident(),
                        PowerReading.ON,
                        statement.person(),
                        statement.time())
                : proof;
    }

    /**
     * Finds a BMC that reads Off while its node is in the cluster: it tells of a moment that is
     * gone, or of another machine. That it reads Off is no proof then, until it has read On once.
     */
    private static void judgeBmc(Turn turn, Event.PeerPowerRead read) {
        switch (read.reading()) {
            case ON -> {
                turn.offWhilePresentSince = Optional.empty();
                if (turn.deceives) {
                    turn.deceives = false;
                    turn.act(new Action.NoteBmc(Action.BmcMark.DECEIVED));
                }
            }
            case OFF -> {
                if (!read.membership().known() || !read.membership().peerPresent()) {
                    turn.offWhilePresentSince = Optional.empty();
                    return;
                }
                Moment since = turn.offWhilePresentSince.orElse(turn.now);
                turn.offWhilePresentSince = Optional.of(since);
                boolean tooLong =
                        turn.now.since(since).compareTo(turn.policy.offWhilePresent()) >= 0;
                if (tooLong && !turn.deceives) {
                    turn.deceives = true;
                    turn.act(new Action.NoteBmc(Action.BmcMark.DECEIVES));
                }
            }
            case UNKNOWN -> {
                // Neither for it nor against it.
            }
        }
    }

    /** Read Off again and again over the whole time, and still so a moment ago. */
    static boolean isHeldOff(Turn turn) {
        return turn.heldOff
                .filter(span ->
                        span.last().since(span.first()).compareTo(turn.policy.heldOff()) >= 0
                                && !turn.now.isLaterThan(turn.policy.heldOffGap(), span.last()))
                .isPresent();
    }

    // ---- what there is ------------------------------------------------------------------------

    /** All that speaks for the peer being off. */
    static List<PeerProof> all(Turn turn) {
        List<PeerProof> all = new ArrayList<>();
        for (PeerProof proof : turn.wanted.proofs()) {
            // A person's word is weighed against what the BMC reads now, not then.
            all.add(
                    proof instanceof PeerProof.Stated word && word.bmc() != PowerReading.ON
                            ? new PeerProof.Stated(
                                    word.statement(),
                                    word.about(),
                                    word.incident(),
                                    turn.reading,
                                    word.person(),
                                    word.time())
                            : proof);
        }
        if (turn.peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                && !(theirs.abdication() instanceof Abdication.None)) {
            all.add(new PeerProof.Yielded(theirs.abdication()));
        }
        if (turn.policy.decision().startAloneWhenPeerIsHeldOff() && isHeldOff(turn)) {
            all.add(new PeerProof.HeldOff(turn.node.peer(), turn.reading, turn.readAt));
        }
        return all;
    }

    /** A person has given up what only the peer may hold, in this very situation. */
    static boolean lossIsAccepted(Turn turn) {
        Incident now = Incident.of(turn.wantedFacts(), turn.peerView());
        return turn.wanted.proofs().stream()
                .anyMatch(proof ->
                        proof instanceof PeerProof.Stated word
                                && word.statement() == PeerProof.Statement.PEER_IS_OFF_LOSS_ACCEPTED
                                && word.incident().equals(now));
    }
}
