package dev.tandem.core.decision;

import dev.tandem.core.BootId;
import dev.tandem.core.decision.Decision.Alone;
import dev.tandem.core.decision.Decision.DataStep;
import dev.tandem.core.decision.Decision.StandDownReason;
import dev.tandem.core.decision.Decision.StopReason;
import dev.tandem.core.decision.PeerProof.Statement;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.History;
import dev.tandem.core.peer.History.Relation;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerView.FactsKnown;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.Intact;
import dev.tandem.core.replica.Replica.MemberRole;

/**
 * Decides how etcd runs on this node.
 *
 * <p>One rule stands above the others: a node goes on alone only when it knows both that the peer
 * cannot do the same, and that the peer did not already do so. The first needs a proof, the second
 * the peer's facts heard in this boot, or this node's own member list. An hour without service is
 * recoverable, two histories are not.
 *
 * <p>A decision and the durable record it asks for belong together: between them the agent answers
 * no request of the peer.
 */
public final class StartDecision {
    private static final Decision START_AS_VOTER = new Decision.StartAsVoter();
    private static final Decision RESTART = new Decision.RestartInPlace(false);
    private static final Decision KILL_AND_RESTART = new Decision.RestartInPlace(true);

    private StartDecision() {}

    public static Decision decide(Situation now) {
        return switch (now.policy().shape()) {
            case SINGLE -> single(now);
            case MAJORITY -> majority(now);
            case PAIR -> pair(now);
        };
    }

    private static Decision pair(Situation now) {
        return switch (now.intent()) {
            case Intent.Install(boolean open) -> installPair(now, open);
            case Intent.Leave(boolean timeIsUp) -> leave(now, timeIsUp);
            case Intent.ServerDied(int deaths) -> again(now, deaths, RESTART);
            case Intent.ServerHung() -> again(now, 1, KILL_AND_RESTART);
            case Intent.RestartInPlace(BootId askedIn) ->
                    askedIn.equals(now.mine().boot()) ? again(now, 1, RESTART) : start(now, false);
            case Intent.LeaderLost() -> start(now, true);
            case Intent.Start(), Intent.Recover() -> start(now, false);
        };
    }

    /**
     * A mark may be on both nodes: a set-up that failed on one was then done on the other. So only
     * the node whose name comes first creates the cluster, and only with the peer's promise that it
     * does not. A release that gives none may create one itself.
     */
    private static Decision installPair(Situation now, boolean open) {
        Decision alone = install(now, open);
        if (!(alone instanceof Decision.Bootstrap)) {
            return alone;
        }
        if (!(now.peer() instanceof FactsKnown(NodeFacts peer))
                || !(peer.replica() instanceof Replica.Missing)) {
            return start(now, false);
        }
        boolean first = now.mine().node().compareTo(now.membership().peer()) < 0;
        return first && peer.offer() instanceof Offer.Founding
                ? alone
                : WaitFor.PEER_INSTALLS.decision();
    }

    private static Decision install(Situation now, boolean open) {
        return open
                        && now.mine().replica() instanceof Replica.Missing
                        && now.mine().abdication() instanceof Abdication.None
                ? new Decision.Bootstrap()
                : Refusal.NOT_INSTALLING.decision();
    }

    /**
     * A server that ran in this boot and ended. Its data were good enough to run on, so they are
     * good enough to run on again, unless the peer went on without it; this is the least that can
     * repair it.
     */
    private static Decision again(Situation now, int deaths, Decision restart) {
        NodeFacts mine = now.mine();
        if (!(mine.replica() instanceof Intact log)
                || log.role() == MemberRole.REMOVED
                || yields(now)) {
            return start(now, false);
        }
        if (now.peer() instanceof FactsKnown(NodeFacts peer)
                && peer.replica() instanceof Intact theirs) {
            if (log.role() == MemberRole.LEARNER
                    && invited(now, peer) instanceof Offer.JoinToken token
                    && token.memberId() != log.memberId()) {
                // Its own seat is gone, and nothing is in its data that the leader does not have.
                return new Decision.JoinAsLearner(token, DataStep.SET_ASIDE);
            }
            Relation relation = History.relate(log, theirs);
            if (relation == Relation.FORKED
                    || (relation == Relation.PEER_AHEAD && log.role() != MemberRole.LEARNER)) {
                return start(now, false);
            }
            if (deaths >= now.policy().deathsBeforeStandDown()
                    && now.membership().peerPresent()
                    && relation == Relation.SAME
                    && peer.canSeed()
                    && peer.server() != EtcdState.STOPPED
                    && peer.server() != EtcdState.HUNG
                    && peer.server() != EtcdState.UNSEEN) {
                return new Decision.StandDown(StandDownReason.CRASH_LOOP);
            }
        }
        return restart;
    }

    private static Decision start(Situation now, boolean portsCut) {
        if (now.peer() instanceof FactsKnown(NodeFacts peer)) {
            return now.mine().replica() instanceof Intact log
                    ? withLog(now, log, peer, portsCut)
                    : withoutReplica(now, peer);
        }
        return now.membership().peerPresent() ? WaitFor.PEER_FACTS.decision() : alone(now);
    }

    /**
     * The peer's facts were not heard in this boot, or only those of an earlier boot of the peer,
     * and it is not there.
     */
    private static Decision alone(Situation now) {
        NodeFacts mine = now.mine();
        if (!(mine.replica() instanceof Intact log)) {
            return nothingToStart(mine);
        }
        if (log.role() == MemberRole.REMOVED) {
            return Refusal.REMOVED.decision();
        }
        if (!log.complete()) {
            return Refusal.INCOMPLETE.decision();
        }
        if (stated(now, Statement.PEER_IS_OFF_LOSS_ACCEPTED)) {
            return contradicted(now) ? Refusal.PEER_IS_THERE.decision() : goOn(mine, log);
        }
        if (yields(now)) {
            return Refusal.YIELDED.decision();
        }
        if (now.membership().peerKnownNotAhead()) {
            return servedLast(mine, log) ? goOn(mine, log) : withProof(now, log);
        }
        if (!servedLast(mine, log)) {
            return now.proofs().isEmpty()
                    ? WaitFor.PEER_RETURN.decision()
                    : Refusal.WHO_SERVED_LAST.decision();
        }
        if (stated(now, Statement.PEER_IS_OFF)) {
            return contradicted(now) ? Refusal.PEER_IS_THERE.decision() : goOn(mine, log);
        }
        return now.policy().startAloneWhenPeerIsHeldOff() && heldOff(now)
                ? goOn(mine, log)
                : WaitFor.PEER_RETURN.decision();
    }

    private static Decision nothingToStart(NodeFacts mine) {
        return mine.replica() instanceof Replica.Missing
                ? Refusal.NO_REPLICA.decision()
                : Refusal.DAMAGED.decision();
    }

    /**
     * The peer is listed no more, or was proven off when the claim was written: it cannot have
     * served since.
     */
    private static boolean servedLast(NodeFacts mine, Intact log) {
        return log.role() == MemberRole.SOLE || mine.claim() instanceof Claim.TakeOver;
    }

    private static Decision withoutReplica(Situation now, NodeFacts peer) {
        if (invited(now, peer) instanceof Offer.JoinToken token) {
            return new Decision.JoinAsLearner(
                    token,
                    now.mine().replica() instanceof Replica.Missing
                            ? DataStep.NOTHING_THERE
                            : DataStep.SET_ASIDE);
        }
        if (!now.membership().peerPresent()) {
            return nothingToStart(now.mine());
        }
        if (!(peer.replica() instanceof Intact theirs) || !theirs.complete()) {
            return Refusal.NO_COMPLETE_REPLICA.decision();
        }
        return theirs.role() == MemberRole.ONE_OF_TWO
                        && now.mine().abdication() instanceof Abdication.None
                ? new Decision.StandDown(StandDownReason.NO_USABLE_REPLICA)
                : WaitFor.PEER_SERVES.decision();
    }

    private static Decision withLog(Situation now, Intact log, NodeFacts peer, boolean portsCut) {
        if (!(peer.replica() instanceof Intact theirs)) {
            return besideNothing(now, log);
        }
        return switch (History.relate(log, theirs)) {
            case FORKED -> forked(now, log, peer);
            case PEER_AHEAD -> behind(now, log, peer, theirs);
            case MINE_AHEAD -> ahead(now, log);
            case SAME -> abreast(now, log, peer, theirs, portsCut);
        };
    }

    /**
     * The peer lost its replica, and with it the answer to who served last, unless this node knew
     * before.
     */
    private static Decision besideNothing(Situation now, Intact log) {
        NodeFacts mine = now.mine();
        if (log.role() == MemberRole.REMOVED || !log.complete()) {
            return Refusal.NO_COMPLETE_REPLICA.decision();
        }
        if (yields(now)) {
            return stated(now, Statement.PEER_IS_OFF_LOSS_ACCEPTED) && !contradicted(now)
                    ? goOn(mine, log)
                    : Refusal.YIELDED.decision();
        }
        if (servedLast(mine, log)) {
            return goOn(mine, log);
        }
        if (!now.membership().peerKnownNotAhead()
                && !stated(now, Statement.PEER_IS_OFF_LOSS_ACCEPTED)) {
            return Refusal.WHO_SERVED_LAST.decision();
        }
        return withProof(now, log);
    }

    private static Decision forked(Situation now, Intact log, NodeFacts peer) {
        if (stated(now, Statement.KEEP_PEERS_HISTORY)
                && invited(now, peer) instanceof Offer.JoinToken token) {
            return new Decision.JoinAsLearner(token, DataStep.SET_ASIDE);
        }
        // With the peer gone and its history given up there is nothing left to choose; its data
        // stay where they are.
        boolean choiceIsMade =
                !now.membership().peerPresent()
                        && log.complete()
                        && log.votes()
                        && stated(now, Statement.PEER_IS_OFF_LOSS_ACCEPTED);
        if (choiceIsMade) {
            return contradicted(now) ? Refusal.PEER_IS_THERE.decision() : goOn(now.mine(), log);
        }
        return Refusal.FORKED.decision();
    }

    private static Decision behind(Situation now, Intact log, NodeFacts peer, Intact theirs) {
        if (invited(now, peer) instanceof Offer.JoinToken token) {
            // An invitation is used once: data of the invited member are its own, however old the
            // word is.
            boolean same =
                    log.memberId() == token.memberId() && log.lineage().equals(theirs.lineage());
            return new Decision.JoinAsLearner(token, same ? DataStep.KEEP : DataStep.SET_ASIDE);
        }
        if (now.membership().peerPresent()) {
            return theirs.role() == MemberRole.ONE_OF_TWO
                            && now.mine().abdication() instanceof Abdication.None
                    ? new Decision.StandDown(StandDownReason.OLDER_HISTORY)
                    : WaitFor.PEER_SERVES.decision();
        }
        if (log.role() == MemberRole.REMOVED) {
            return Refusal.REMOVED.decision();
        }
        if (!log.complete()) {
            return Refusal.INCOMPLETE.decision();
        }
        if (stated(now, Statement.PEER_IS_OFF_LOSS_ACCEPTED)) {
            return contradicted(now) ? Refusal.PEER_IS_THERE.decision() : goOn(now.mine(), log);
        }
        return Refusal.PEER_IS_NEWER.decision();
    }

    private static Decision ahead(Situation now, Intact log) {
        if (!log.complete()) {
            return now.membership().peerPresent()
                    ? Refusal.NO_COMPLETE_REPLICA.decision()
                    : Refusal.INCOMPLETE.decision();
        }
        if (servedLast(now.mine(), log)) {
            return goOn(now.mine(), log);
        }
        return yields(now) ? Refusal.YIELDED.decision() : withProof(now, log);
    }

    private static Decision abreast(
            Situation now, Intact log, NodeFacts peer, Intact theirs, boolean portsCut) {
        boolean present = now.membership().peerPresent();
        if (yields(now)) {
            return present ? WaitFor.PEER_SERVES.decision() : givenUp(now, log);
        }
        if (!log.complete()) {
            return incomplete(theirs, present, portsCut);
        }
        if (peerYields(now, peer)) {
            return withProof(now, log);
        }
        if (!present) {
            return withProof(now, log);
        }
        if (!portsCut) {
            return START_AS_VOTER;
        }
        return leads(now, log, theirs)
                ? WaitFor.PEER_STANDS_DOWN.decision()
                : new Decision.StandDown(StandDownReason.PORTS_CUT);
    }

    private static Decision incomplete(Intact theirs, boolean present, boolean portsCut) {
        if (!present) {
            return Refusal.INCOMPLETE.decision();
        }
        if (!theirs.complete()) {
            return Refusal.NO_COMPLETE_REPLICA.decision();
        }
        return portsCut ? new Decision.StandDown(StandDownReason.PORTS_CUT) : START_AS_VOTER;
    }

    private static Decision givenUp(Situation now, Intact log) {
        if (!log.complete()) {
            return Refusal.INCOMPLETE.decision();
        }
        if (stated(now, Statement.PEER_IS_OFF_LOSS_ACCEPTED)) {
            return contradicted(now) ? Refusal.PEER_IS_THERE.decision() : goOn(now.mine(), log);
        }
        return Refusal.YIELDED.decision();
    }

    /**
     * Both logs hold every acknowledged write, so any order will do, if only both nodes see the
     * same one.
     */
    private static boolean leads(Situation now, Intact log, Intact theirs) {
        if (log.complete() != theirs.complete()) {
            return log.complete();
        }
        if (log.term() != theirs.term()) {
            return log.term() > theirs.term();
        }
        if (log.lastIndex() != theirs.lastIndex()) {
            return log.lastIndex() > theirs.lastIndex();
        }
        return now.mine().node().compareTo(now.membership().peer()) < 0;
    }

    /** Who served last is settled. What is left is whether the peer could act. */
    private static Decision withProof(Situation now, Intact log) {
        if (now.peer() instanceof FactsKnown(NodeFacts peer) && peerYields(now, peer)) {
            return goOn(now.mine(), log);
        }
        boolean declaredOff = false;
        for (int i = 0; i < now.proofs().size(); i++) {
            declaredOff |=
                    switch (now.proofs().get(i)) {
                        case PeerProof.Fenced fenced ->
                                fenced.target().equals(now.membership().peer())
                                        && fenced.observed() == PowerReading.OFF
                                        && now.peer().isIn(fenced.peerBoot());
                        case PeerProof.HeldOff held ->
                                held.target().equals(now.membership().peer())
                                        && held.observed() == PowerReading.OFF;
                        case PeerProof.Stated _ -> stated(now, Statement.PEER_IS_OFF);
                        case PeerProof.Yielded _ -> false;
                    };
        }
        if (!declaredOff) {
            return unproven(now);
        }
        return contradicted(now) ? Refusal.PEER_IS_THERE.decision() : goOn(now.mine(), log);
    }

    /**
     * A wait needs an owner who can act: a node that never met its peer is not quorate, and nothing
     * gets fenced for it.
     */
    private static Decision unproven(Situation now) {
        if (now.membership().peerPresent()) {
            return WaitFor.PEER_STANDS_DOWN.decision();
        }
        return now.membership().met() ? WaitFor.FENCING.decision() : WaitFor.PEER_RETURN.decision();
    }

    private static Decision goOn(NodeFacts mine, Intact log) {
        if (mine.claim() instanceof Claim.TakeOver) {
            return new Decision.StartAsSoleVoter(log.lineage(), Alone.FINISH_TAKE_OVER);
        }
        if (log.role() == MemberRole.SOLE) {
            return new Decision.StartAsSoleVoter(log.lineage(), Alone.CONTINUE);
        }
        return new Decision.StartAsSoleVoter(
                log.lineage().takenOver(mine.node(), mine.boot(), log.lastIndex()),
                Alone.TAKE_OVER);
    }

    /** Given up, and the peer has not said that it will never use it. */
    private static boolean yields(Situation now) {
        return !(now.mine().abdication() instanceof Abdication.None)
                && !(now.peer() instanceof FactsKnown(NodeFacts peer)
                        && peer.released() >= now.mine().abdication().number());
    }

    private static boolean peerYields(Situation now, NodeFacts peer) {
        if (peer.abdication() instanceof Abdication.None
                || peer.abdication().number() <= now.mine().released()) {
            return false;
        }
        for (int i = 0; i < now.proofs().size(); i++) {
            if (now.proofs().get(i) instanceof PeerProof.Yielded(Abdication abdication)
                    && abdication.equals(peer.abdication())) {
                return true;
            }
        }
        return false;
    }

    /** A person stated at least this, about this peer, in this very situation. */
    private static boolean stated(Situation now, Statement least) {
        for (int i = 0; i < now.proofs().size(); i++) {
            if (now.proofs().get(i) instanceof PeerProof.Stated word
                    && (word.statement() == least
                            || (least == Statement.PEER_IS_OFF
                                    && word.statement() == Statement.PEER_IS_OFF_LOSS_ACCEPTED))
                    && word.about().equals(now.membership().peer())
                    && word.incident().equals(Incident.of(now.mine(), now.peer()))) {
                return true;
            }
        }
        return false;
    }

    /** Somebody says the peer is off, and somebody else sees it alive. */
    private static boolean contradicted(Situation now) {
        if (now.membership().peerPresent()) {
            return true;
        }
        for (int i = 0; i < now.proofs().size(); i++) {
            if (now.proofs().get(i) instanceof PeerProof.Stated word
                    && word.bmc() == PowerReading.ON) {
                return true;
            }
        }
        return false;
    }

    private static boolean heldOff(Situation now) {
        for (int i = 0; i < now.proofs().size(); i++) {
            if (now.proofs().get(i) instanceof PeerProof.HeldOff held
                    && held.target().equals(now.membership().peer())
                    && held.observed() == PowerReading.OFF) {
                return true;
            }
        }
        return false;
    }

    /**
     * The peer's invitation, if it is for this node in this boot and the peer can serve a joiner.
     */
    private static Offer invited(Situation now, NodeFacts peer) {
        return now.membership().peerPresent()
                        && peer.offer() instanceof Offer.JoinToken token
                        && token.joiner().equals(now.mine().node())
                        && token.joinerBoot().equals(now.mine().boot())
                        && peer.server() == EtcdState.LEADING
                        && peer.replica() instanceof Intact log
                        && log.complete()
                ? token
                : Offer.none();
    }

    private static Decision leave(Situation now, boolean timeIsUp) {
        NodeFacts mine = now.mine();
        if (!(mine.replica() instanceof Intact log) || log.role() == MemberRole.LEARNER) {
            return stop(StopReason.NOT_A_VOTER);
        }
        if (log.role() == MemberRole.SOLE) {
            return stop(StopReason.LAST_VOTER);
        }
        if (log.role() == MemberRole.REMOVED) {
            return stop(StopReason.LEFT);
        }
        if (!(now.peer() instanceof FactsKnown(NodeFacts peer))
                || !(peer.replica() instanceof Intact theirs)
                || !now.membership().peerPresent()) {
            return stop(StopReason.NO_HEIR);
        }
        if (History.relate(log, theirs) == Relation.PEER_AHEAD) {
            return stop(StopReason.LEFT);
        }
        if (mine.abdication() instanceof Abdication.Departure departure) {
            if (peer.released() >= departure.id()) {
                return stop(StopReason.DENIED);
            }
            if (timeIsUp) {
                return stop(StopReason.UNCONFIRMED);
            }
            // Leadership may have come back after the departure was recorded, and only the leader
            // can grant it.
            return mine.server() == EtcdState.LEADING
                    ? new Decision.HandLeadershipOver()
                    : WaitFor.DEPARTURE_ANSWER.decision();
        }
        boolean heir =
                peer.canSeed()
                        && peer.server().serves()
                        && History.relate(log, theirs) == Relation.SAME
                        && mine.abdication() instanceof Abdication.None;
        if (!heir || timeIsUp) {
            return stop(StopReason.NO_HEIR);
        }
        return mine.server() == EtcdState.LEADING
                ? new Decision.HandLeadershipOver()
                : new Decision.Depart();
    }

    private static Decision stop(StopReason reason) {
        return new Decision.Stop(reason);
    }

    private static Decision single(Situation now) {
        NodeFacts mine = now.mine();
        return switch (now.intent()) {
            case Intent.Install(boolean open) -> install(now, open);
            case Intent.Leave(boolean _) -> stop(StopReason.LAST_VOTER);
            case Intent.ServerHung() when mine.replica() instanceof Intact -> KILL_AND_RESTART;
            case Intent.ServerDied(int _) when mine.replica() instanceof Intact -> RESTART;
            default -> {
                if (!(mine.replica() instanceof Intact log) || !log.complete()) {
                    yield Refusal.NO_REPLICA_ALONE.decision();
                }
                boolean only =
                        servedLast(mine, log) || stated(now, Statement.PEER_IS_OFF_LOSS_ACCEPTED);
                yield only ? goOn(mine, log) : Refusal.LISTS_ANOTHER_VOTER.decision();
            }
        };
    }

    private static Decision majority(Situation now) {
        NodeFacts mine = now.mine();
        boolean usable = mine.replica() instanceof Intact log && log.role() != MemberRole.REMOVED;
        return switch (now.intent()) {
            case Intent.Install(boolean open) -> install(now, open);
            case Intent.Leave(boolean _) -> stop(StopReason.MAJORITY);
            case Intent.ServerHung() when usable -> KILL_AND_RESTART;
            case Intent.ServerDied(int _) when usable -> RESTART;
            default -> {
                if (usable) {
                    yield START_AS_VOTER;
                }
                yield now.peer() instanceof FactsKnown(NodeFacts peer)
                                && invited(now, peer) instanceof Offer.JoinToken token
                        ? new Decision.JoinAsLearner(
                                token,
                                mine.replica() instanceof Replica.Missing
                                        ? DataStep.NOTHING_THERE
                                        : DataStep.SET_ASIDE)
                        : Refusal.NEEDS_MAJORITY.decision();
            }
        };
    }
}
