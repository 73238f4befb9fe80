package dev.tandem.core.supervise;

import dev.tandem.core.BootId;
import dev.tandem.core.decision.Incident;
import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which proofs there are that the peer is off: how they begin, and what ends them. Whether one is
 * enough is the start decision's business.
 */
final class ProofRules {
    private ProofRules() {}

    /** Corosync was asked. Its silence says nothing about the peer. */
    static void member(NextState next, Membership now) {
        if (!now.known()) {
            return;
        }
        if (now.peerPresent() != next.membership.peerPresent() || !next.membership.known()) {
            next.journal(new Notice.MembershipChanged(now.peerPresent(), now.quorate()));
        }
        boolean back = now.peerPresent() && next.peerMissing();
        if (now.peerPresent() && !next.membership.peerPresent()) {
            // It has joined; the time that it was given for that is over. At the start of an agent
            // it may have spoken before Corosync was asked.
            next.fenceNotBefore = next.now;
        }
        next.membership = now;
        next.membershipAt = next.now;
        next.presentSince =
                now.peerPresent()
                        ? next.presentSince.or(() -> Optional.of(next.now))
                        : Optional.empty();
        if (now.peerPresent()) {
            // Of an Off that was read and has not been told yet. Corosync may have had the peer
            // back a moment before the look that found it, and a true Off may fall between the
            // two. Pacemaker saw the peer come back as well: it fences again when it is lost again,
            // and that fence is believed. A peer that was never missed may be one that Corosync
            // has not missed yet, and only lived this long ago.
            next.aliveAt =
                    next.aliveAt.later(
                            back ? next.now : next.now.plus(next.policy.missedForSure().negated()));
            next.want(draft -> draft.met = true);
            if (next.missedSinceProof) {
                // Not while Corosync has merely not noticed yet that the peer is gone.
                peerLives(next, "back in Corosync's membership");
            } else if (next.now.isLaterThan(next.policy.missedForSure(), next.provenAt)) {
                peerLives(next, "still in Corosync's membership");
            }
        } else {
            next.missedSinceProof = true;
            next.missedSinceHeard = true;
            next.firstBmc = next.firstBmc.peerIsGone();
            next.secondBmc = next.secondBmc.peerIsGone();
        }
    }

    /** A sign of life that is younger than every proof. */
    static void peerLives(NextState next, String how) {
        List<PeerProof> left = Proofs.afterSignOfLife(next.wanted.proofs());
        if (left.size() < next.wanted.proofs().size()) {
            next.journal(new Notice.ProofsVoid(how, next.wanted.proofs()));
            next.want(draft -> draft.proofs = new ArrayList<>(left));
        }
    }

    // ---- fences -------------------------------------------------------------------------------

    static void fenced(NextState next, Event.FenceAnswered answer) {
        fenced(next, answer, next.firstBmc, Action.Disbelief.READ_ONCE);
    }

    /**
     * @param bmc what is known of the BMC by which it was fenced
     * @param once why an Off proves nothing that was not read twice
     */
    private static void fenced(
            NextState next,
            Event.FenceAnswered answer,
            VolatileState.OffWhilePresent bmc,
            Action.Disbelief once) {
        member(next, answer.membership());
        FenceOrderRules.postpone(next, next.policy.fenceOrder());
        Optional<Action.Disbelief> disbelief = disbelief(next, answer, bmc, once);
        if (disbelief.isPresent()) {
            next.journal(new Notice.OffNotBelieved(answer.method(), disbelief.get()));
            next.act(
                    new Action.Acknowledge(
                            answer.caller(),
                            new Action.Acknowledgement.NotBelieved(disbelief.get())));
            return;
        }
        PowerReading observed = answer.reading().power();
        next.reading = observed;
        Optional<PeerProof.Fenced> proof =
                Proofs.ofFence(
                        answer.order(),
                        next.peerView(),
                        answer.machine(),
                        answer.method(),
                        observed,
                        answer.time());
        if (proof.isEmpty()) {
            next.journal(
                    new Notice.FenceProvesNothing(
                            answer.method(),
                            observed,
                            answer.machine(),
                            answer.order().peerBoot().map(BootId::value).orElse("unknown")));
            if (isHeardInAnotherBoot(next, answer.order())) {
                // Heard in another boot than the order was for. Pacemaker fences again, and that
                // order is for the boot that is known by now.
                next.act(
                        new Action.Acknowledge(
                                answer.caller(),
                                new Action.Acknowledgement.NotBelieved(
                                        Action.Disbelief.OTHER_BOOT)));
                return;
            }
        } else if (!isKnown(next, proof.get())) {
            next.want(draft -> draft.proofs.add(proof.get()));
            made(next, answer.reading().at());
            next.journal(new Notice.Fenced(proof.get()));
        } else {
            // It proves the same once more, and what was asked before it does not refute it.
            next.provenAt = next.provenAt.later(answer.reading().at());
        }
        next.acknowledgeWhenStored(answer.caller());
    }

    /** Nobody waits for what becomes of a record. */
    private static final long NOBODY = 0;

    private static final String FIRST = "first";
    private static final String SECOND = "second";

    /** With its number after it. */
    private static final String FURTHER = "further";

    /**
     * The second level left a record. One of an earlier boot is no news, and neither is one that
     * the BMC speaks against; but if the peer was heard in another boot while the BMC was asked,
     * the journal is to say what that fence was for.
     */
    static void levelTwo(NextState next, Event.LevelTwoFound found) {
        member(next, found.membership());
        judgeRecord(next, found, next.firstBmc, FIRST);
    }

    /** The same of the second of the peer's BMCs. */
    static void secondRecord(NextState next, Event.LevelTwoFound found) {
        member(next, found.membership());
        judgeRecord(next, found, next.secondBmc, SECOND);
    }

    /**
     * A further level left a record. Whose power it switched off nobody can tell but the plan:
     * where that does not, it is told once, and the peer counts as not fenced. What a BMC read
     * falsely says nothing of it, and nobody reads such a device in passing, so nothing is held
     * against it.
     */
    static void furtherLevel(NextState next, Event.FurtherLevelFound found) {
        member(next, found.membership());
        Proofs.Machine machine =
                found.provesOff() ? Proofs.Machine.THE_PEER : Proofs.Machine.NOT_STATED;
        judgeRecord(
                next,
                new Event.LevelTwoFound(
                        found.order(),
                        found.record()
                                .givenBy(
                                        machine == Proofs.Machine.THE_PEER
                                                ? LevelTwoRecord.Giver.THE_PEERS
                                                : LevelTwoRecord.Giver.UNKNOWN),
                        machine,
                        // Nobody asks the device but the level itself.
                        PowerReading.UNKNOWN,
                        found.method(),
                        found.asking(),
                        Membership.UNKNOWN,
                        found.time()),
                VolatileState.OffWhilePresent.since(false),
                FURTHER + found.number());
    }

    /**
     * @param bmc what is known of the BMC by which it fences
     * @param level whose record it is
     */
    private static void judgeRecord(
            NextState next,
            Event.LevelTwoFound found,
            VolatileState.OffWhilePresent bmc,
            String level) {
        LevelTwoRecord record = found.record();
        boolean ofThisBoot =
                record.isOfLastHeardBoot() || isHeardInAnotherBoot(next, found.order());
        if (!ofThisBoot || record.isRefutedBy(found.power())) {
            return;
        }
        if (isToldAlready(next, found, level)) {
            return;
        }
        // What is held against the machine does not depend on how often it read Off, and this
        // agent's own readings of it say nothing of the peer.
        Optional<Duration> readOff =
                found.machine() == Proofs.Machine.THE_PEER
                        ? record.spanOfPeer().or(() -> ownSpan(next, found, level))
                        : Optional.of(Duration.ZERO);
        readOff.ifPresent(span ->
                fenced(
                        next,
                        new Event.FenceAnswered(
                                NOBODY,
                                found.order(),
                                found.machine(),
                                found.method(),
                                // The stock agent does not look at what the BMC answers
                                // to an order.
                                new Event.FenceReading(
                                        PowerReading.OFF, false, span, found.asking()),
                                Membership.UNKNOWN,
                                found.time()),
                        bmc,
                        record.giver() == LevelTwoRecord.Giver.THE_PEERS
                                ? Action.Disbelief.READ_ONCE
                                : Action.Disbelief.UNKNOWN_BMC));
    }

    /**
     * The record stays and is found again and again: what was held against its machine is news
     * once. It would put this node's own fence off for ever.
     */
    private static boolean isToldAlready(NextState next, Event.LevelTwoFound found, String level) {
        if (found.machine() == Proofs.Machine.THE_PEER) {
            return false;
        }
        long ordered = found.record().ordered();
        boolean told = looks(next, level, ordered).isPresent();
        keep(next, new VolatileState.LevelTwoLooks(level, ordered, Optional.empty()));
        return told;
    }

    private static Optional<VolatileState.LevelTwoLooks> looks(
            NextState next, String level, long ordered) {
        return next.levelTwo.stream()
                .filter(looks -> looks.level().equals(level) && looks.ordered() == ordered)
                .findFirst();
    }

    /** In the place of what was known of this level. */
    private static void keep(NextState next, VolatileState.LevelTwoLooks now) {
        next.levelTwo =
                Stream.concat(
                                next.levelTwo.stream()
                                        .filter(looks -> !looks.level().equals(now.level())),
                                Stream.of(now))
                        .sorted(Comparator.comparing(VolatileState.LevelTwoLooks::level))
                        .toList();
    }

    /**
     * For how long this agent has read Off, and nothing else, after an order of which nobody knows
     * that Off was read twice. The first look is told as what it is, so that the journal says why
     * nothing follows from it.
     */
    private static Optional<Duration> ownSpan(
            NextState next, Event.LevelTwoFound found, String level) {
        long ordered = found.record().ordered();
        Optional<VolatileState.LevelTwoLooks> before = looks(next, level, ordered);
        Optional<Moment> since = before.flatMap(VolatileState.LevelTwoLooks::offSince);
        boolean off = found.power() == PowerReading.OFF;
        keep(
                next,
                new VolatileState.LevelTwoLooks(
                        level,
                        ordered,
                        off ? since.or(() -> Optional.of(next.now)) : Optional.empty()));
        Duration span =
                off ? since.map(found.asking()::since).orElse(Duration.ZERO) : Duration.ZERO;
        return span.isPositive() || before.isEmpty() ? Optional.of(span) : Optional.empty();
    }

    private static Optional<Action.Disbelief> disbelief(
            NextState next,
            Event.FenceAnswered answer,
            VolatileState.OffWhilePresent bmc,
            Action.Disbelief once) {
        if (answer.machine() == Proofs.Machine.ANOTHER) {
            return Optional.of(Action.Disbelief.ANOTHER_MACHINE);
        }
        if (answer.machine() == Proofs.Machine.NOT_TOLD) {
            return Optional.of(Action.Disbelief.MACHINE_NOT_TOLD);
        }
        if (answer.machine() == Proofs.Machine.NOT_STATED) {
            return Optional.of(Action.Disbelief.NOT_STATED);
        }
        if (answer.reading().power() != PowerReading.OFF) {
            return Optional.of(Action.Disbelief.NOT_OFF);
        }
        if (bmc.tooLong()) {
            return Optional.of(Action.Disbelief.OFF_WHILE_ALIVE);
        }
        // In a later boot it may well be alive: then the fence says nothing about that one.
        if (!isHeardInAnotherBoot(next, answer.order())) {
            if (answer.reading().at().isBefore(next.aliveAt)) {
                return Optional.of(Action.Disbelief.ALIVE_SINCE);
            }
        }
        // Many BMCs read Off, or what was true long ago, right after a restart of their own.
        boolean twice = answer.reading().span().compareTo(next.policy.offAgain()) >= 0;
        return answer.reading().accepted() || twice ? Optional.empty() : Optional.of(once);
    }

    private static boolean isHeardInAnotherBoot(NextState next, Proofs.Order order) {
        return !(next.peerView() instanceof PeerView.Unknown)
                && order.peerBoot().filter(next.peerView()::isIn).isEmpty();
    }

    private static boolean isKnown(NextState next, PeerProof.Fenced proof) {
        return next.wanted.proofs().stream()
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
    private static void made(NextState next, Moment seen) {
        next.provenAt = seen;
        next.missedSinceProof = !next.membership.peerPresent();
    }

    // ---- people -------------------------------------------------------------------------------

    static void stated(NextState next, Event.PersonStated event) {
        member(next, event.membership());
        Optional<Action.StatementRefusal> refusal =
                next.view().refusalOf(event.statement(), event.incident(), event.bmc());
        if (refusal.isPresent()) {
            next.act(
                    new Action.Acknowledge(
                            event.caller(), new Action.Acknowledgement.NotTaken(refusal.get())));
            return;
        }
        next.reading = event.bmc();
        PeerProof.Stated statement =
                new PeerProof.Stated(
                        event.statement(),
                        next.node.peer(),
                        Incident.of(next.wantedFacts(), next.peerView()),
                        event.bmc(),
                        event.person(),
                        event.time());
        next.journal(new Notice.Stated(statement));
        next.want(draft -> {
            // It takes the place of one that a BMC has spoken against since.
            draft.proofs.removeIf(old ->
                    old instanceof PeerProof.Stated earlier
                            && saysOff(earlier)
                            && saysOff(statement));
            draft.proofs.add(statement);
        });
        made(next, next.now);
        next.acknowledgeWhenStored(event.caller());
    }

    private static boolean saysOff(PeerProof.Stated statement) {
        return statement.statement() != PeerProof.Statement.KEEP_PEERS_HISTORY;
    }

    // ---- the peer's BMC, read in passing --------------------------------------------------------

    static void read(NextState next, Event.PeerPowerRead read) {
        member(next, read.membership());
        next.reading = read.reading();
        next.readAt = read.time();
        if (read.ofThePeer() && read.reading() != PowerReading.UNKNOWN) {
            // What another fence does would be seen by now.
            next.fenceProvedNothing = false;
        }
        judgeBmc(next, read);
        boolean counts =
                read.reading() == PowerReading.OFF && read.ofThePeer() && !next.firstBmc.tooLong();
        if (!counts) {
            next.heldOff = Optional.empty();
        } else {
            Moment first =
                    next.heldOff
                            .filter(span ->
                                    !next.now.isLaterThan(next.policy.heldOffGap(), span.last()))
                            .map(VolatileState.Span::first)
                            .orElse(next.now);
            next.heldOff = Optional.of(new VolatileState.Span(first, next.now));
        }
        if (read.reading() == PowerReading.ON) {
            // For good: the BMC may fall silent later, and that makes nobody right.
            next.want(draft -> draft.proofs.replaceAll(ProofRules::contradicted));
        }
        if (isHeldOff(next) && next.membership.waitsForAll() && RunRules.mayStartAlone(next)) {
            // Pacemaker starts nothing on a node that has not met its peer.
            next.journal(new Notice.LoneStart());
            next.act(new Action.DeclarePeerOff(next.membership));
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

    private static void judgeBmc(NextState next, Event.PeerPowerRead read) {
        boolean before = next.firstBmc.tooLong();
        next.firstBmc =
                judged(next, next.firstBmc, read.reading(), read.ofThePeer(), read.membership());
        if (next.firstBmc.tooLong() != before) {
            next.act(
                    new Action.NoteBmc(
                            before
                                    ? Action.BmcMark.FALSE_OFF_ENDED
                                    : Action.BmcMark.FALSE_OFF_BEGAN));
        }
    }

    /** The second level reads this one itself, and believes it: so a false Off is known before. */
    static void readSecond(NextState next, Event.SecondPowerRead read) {
        member(next, read.membership());
        boolean before = next.secondBmc.tooLong();
        next.secondBmc =
                judged(next, next.secondBmc, read.reading(), read.ofThePeer(), read.membership());
        if (next.secondBmc.tooLong() != before) {
            next.act(
                    new Action.NoteBmc(
                            before
                                    ? Action.BmcMark.SECOND_FALSE_OFF_ENDED
                                    : Action.BmcMark.SECOND_FALSE_OFF_BEGAN));
        }
    }

    private static VolatileState.OffWhilePresent judged(
            NextState next,
            VolatileState.OffWhilePresent before,
            PowerReading reading,
            boolean ofThePeer,
            Membership membership) {
        return before.and(
                // What another machine reads says nothing of the peer's BMC.
                ofThePeer ? reading : PowerReading.UNKNOWN,
                membership,
                next.now,
                next.policy.offWhilePresent(),
                next.policy.falseOffGap());
    }

    /** Read Off again and again over the whole time, and still so a moment ago. */
    static boolean isHeldOff(NextState next) {
        return next.heldOff
                .filter(span ->
                        span.last().since(span.first()).compareTo(next.policy.heldOff()) >= 0
                                && !next.now.isLaterThan(next.policy.heldOffGap(), span.last()))
                .isPresent();
    }

    // ---- what there is ------------------------------------------------------------------------

    /** All that speaks for the peer being off. */
    static List<PeerProof> all(NextState next) {
        List<PeerProof> all = new ArrayList<>();
        for (PeerProof proof : next.wanted.proofs()) {
            // A person's word is weighed against what the BMC reads now, not then.
            all.add(
                    proof instanceof PeerProof.Stated word && word.bmc() != PowerReading.ON
                            ? new PeerProof.Stated(
                                    word.statement(),
                                    word.about(),
                                    word.incident(),
                                    next.reading,
                                    word.person(),
                                    word.time())
                            : proof);
        }
        if (next.peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                && !(theirs.abdication() instanceof Abdication.None)
                && !hangsBesideUs(next, theirs)) {
            all.add(new PeerProof.Yielded(theirs.abdication()));
        }
        if (next.policy.decision().startAloneWhenPeerIsHeldOff() && isHeldOff(next)) {
            all.add(new PeerProof.HeldOff(next.node.peer(), next.reading, next.readAt));
        }
        return all;
    }

    /**
     * Its agent has given up its right, and its server has neither ended nor can it be asked. While
     * it is in the cluster the stop that it is in ends it, or has the node fenced.
     */
    private static boolean hangsBesideUs(NextState next, NodeFacts theirs) {
        return theirs.server() == EtcdState.HUNG && next.membership.peerPresent();
    }

    /** A person has given up what only the peer may hold, in this very situation. */
    static boolean lossIsAccepted(NextState next) {
        Incident now = Incident.of(next.wantedFacts(), next.peerView());
        return next.wanted.proofs().stream()
                .anyMatch(proof ->
                        proof instanceof PeerProof.Stated word
                                && word.statement() == PeerProof.Statement.PEER_IS_OFF_LOSS_ACCEPTED
                                && word.incident().equals(now));
    }
}
