package dev.tandem.core.supervise;

import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Decision.Alone;
import dev.tandem.core.decision.Decision.StandDownReason;
import dev.tandem.core.decision.Decision.StartAsSoleVoter;
import dev.tandem.core.decision.Intent;
import dev.tandem.core.decision.OwnLog;
import dev.tandem.core.decision.PeerMembership;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import java.time.Duration;
import java.util.Optional;

/** What etcd of this node is to do, while Pacemaker wants it to run: when to ask, and then what. */
final class Recovering {
    private Recovering() {}

    static void startRequested(Turn turn) {
        if (!turn.wanted.wanted()) {
            turn.journal(new Notice.StartRequested());
            turn.downSince = turn.now;
            turn.restarts = turn.restarts.atOnce(turn.now);
        }
        turn.stopping = Optional.empty();
        turn.want(draft -> draft.wanted = true);
    }

    /** The learner of this start has its snapshot, and has not published its client URLs. */
    static void unheard(Turn turn, long generation) {
        if (generation == turn.observation.generation()
                && turn.observation.starting()
                && turn.wanted.wanted()
                && mayOrder(turn)
                && turn.storeFirst(Recovering::startsPlainly)) {
            turn.journal(new Notice.LearnerRestarted());
            order(turn, new EtcdOrder.RestartInPlace(turn.policy.end()));
        }
    }

    // ---- when to ask --------------------------------------------------------------------------

    private static boolean mayOrder(Turn turn) {
        return turn.order.isEmpty() && turn.mark.isEmpty();
    }

    static void step(Turn turn) {
        if (!turn.stored.wanted() || !mayOrder(turn)) {
            return;
        }
        if (!turn.observation.running()) {
            if (turn.restarts.mayStart(turn.now)) {
                act(turn, startIntent(turn));
            }
            return;
        }
        if (!turn.restarts.mayTryAgain(turn.now)) {
            return;
        }
        if (standsDown(turn, turn.stored) && standsDown(turn, turn.wanted)) {
            order(turn, new EtcdOrder.End(true, turn.policy.end()));
            return;
        }
        if (turn.observation.server() == EtcdState.UNSEEN) {
            unseen(turn);
            return;
        }
        if (turn.observation.server() == EtcdState.HUNG || Messages.isContradicted(turn)) {
            // Nothing more can be done about one that was killed and did not end.
            if (!turn.unfit) {
                act(turn, new Intent.ServerHung());
            }
            return;
        }
        if (claimed(turn)) {
            return;
        }
        if (turn.peerMissing()
                && (turn.hasRole(MemberRole.ONE_OF_TWO) || !turn.observation.serves())) {
            act(turn, new Intent.Recover());
        } else if (turn.observation.serves()) {
            serves(turn);
        } else {
            leaderless(turn);
        }
    }

    private static boolean standsDown(Turn turn, DurableState state) {
        return state.abdicationOn(turn.observation.replica()) instanceof Abdication.StandDown;
    }

    /** The claim is over, and what was given up before it with it. */
    private static void dropClaim(Turn turn) {
        Abdication now = turn.wanted.abdicationOn(turn.observation.replica());
        turn.want(draft -> {
            draft.abdication = now;
            draft.claim = Claim.none();
        });
    }

    /** What a claim asks for; false if there is none, or none any more. */
    private static boolean claimed(Turn turn) {
        if (Observing.claimed(turn).isEmpty()) {
            return false;
        }
        boolean sole = turn.hasRole(MemberRole.SOLE);
        boolean starting = turn.observation.starting();
        boolean forced = starting && turn.wanted.forced();
        boolean inTime =
                !turn.now.isLaterThan(
                        turn.restarts.readyWithin(turn.policy).plus(turn.view().loading()),
                        turn.startedAt);
        if ((forced && inTime) || (sole && !starting && !turn.observation.serves())) {
            return true;
        }
        if (!sole || starting) {
            act(turn, new Intent.Recover());
            if (forced && turn.order.isPresent()) {
                turn.restarts = turn.restarts.gaveUp();
            }
            return true;
        }
        dropClaim(turn);
        return false;
    }

    private static void serves(Turn turn) {
        turn.pending = Optional.empty();
        turn.takingOver = false;
        if (!(turn.observation.replica() instanceof Replica.Intact)) {
            return;
        }
        // One of an epoch that these data never entered means nothing.
        dropClaim(turn);
        if (turn.installing) {
            turn.installing = false;
            turn.journal(new Notice.Installed());
            turn.act(new Action.CloseInstallation());
        }
    }

    /**
     * Of a server that refuses its own agent nothing is known, so nothing is done to it. But with
     * the peer proven off it has lost its other half for certain, and is made the only voter, once;
     * whether it then serves is not seen either.
     */
    private static void unseen(Turn turn) {
        if (turn.peerMissing()
                && Observing.claimed(turn).isEmpty()
                && turn.hasRole(MemberRole.ONE_OF_TWO)) {
            act(turn, new Intent.Recover());
        }
    }

    /** Both nodes are there, this server runs, and it knows no leader. */
    private static void leaderless(Turn turn) {
        if (!turn.membership.peerPresent()
                || turn.observation.silent()
                || !turn.longerThan(turn.policy.leaderless(), turn.leaderlessSince)) {
            // Of a server that is silent nothing is known that the peer's word could be held to.
            return;
        }
        Duration limit = turn.policy.portsCut().plus(turn.view().loading());
        boolean cut = turn.longerThan(limit, Messages.bothLeaderlessSince(turn));
        act(turn, cut ? new Intent.LeaderLost() : new Intent.Recover());
    }

    private static Intent startIntent(Turn turn) {
        // An empty cluster is begun only when the peer has said that it has nothing either: the
        // mark on a reinstalled node must not found a second history beside the peer's.
        if (turn.installing
                && turn.observation.replica() instanceof Replica.Missing
                && turn.peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                && theirs.replica() instanceof Replica.Missing) {
            return new Intent.Install(true);
        }
        if (turn.takingOver) {
            // It was ended for that, and has not died.
            return new Intent.Recover();
        }
        boolean again = turn.restarting || turn.restarts.deathsInARow() > 0;
        return turn.wanted.ran() && again
                ? new Intent.ServerDied(turn.restarts.deathsLately(turn.now, turn.policy))
                : new Intent.Start();
    }

    /** Whether this node, alone since it booted, would start if Pacemaker asked it to. */
    static boolean mayStartAlone(Turn turn) {
        return !turn.wanted.wanted()
                && !turn.membership.peerPresent()
                && !turn.observation.running()
                && log(turn).decide(situation(turn, new Intent.Start()))
                        instanceof StartAsSoleVoter;
    }

    // ---- deciding -----------------------------------------------------------------------------

    static PeerMembership peerMembership(Turn turn) {
        return new PeerMembership(
                turn.node.peer(),
                turn.wanted.met() || turn.membership.peerPresent(),
                turn.membership.peerPresent(),
                turn.wanted.peerKnownNotAhead());
    }

    private static Situation situation(Turn turn, Intent intent) {
        // What this node's log lacks is given up with the rest, if a person says so.
        NodeFacts mine =
                Proving.lossIsAccepted(turn)
                        ? SupervisorView.facts(
                                turn.node, turn.observation, 0, turn.offer, turn.wanted)
                        : turn.wantedFacts();
        return new Situation(
                mine,
                turn.peerView(),
                Proving.all(turn),
                peerMembership(turn),
                turn.policy.decision(),
                intent);
    }

    static Decision decide(Turn turn, Intent intent) {
        Situation situation = situation(turn, intent);
        OwnLog.Read log = log(turn);
        Decision decision = log.decide(situation);
        boolean news =
                turn.pending
                        .filter(last ->
                                last.decision().equals(decision)
                                        && last.intent().getClass() == intent.getClass())
                        .isEmpty();
        if (news) {
            String sentence = decision.sentence(turn.node.self(), turn.node.peer());
            turn.pending =
                    Optional.of(new VolatileState.Pending(decision, intent, sentence, turn.now));
            turn.journal(new Notice.Decided(sentence, decision, situation, log));
        }
        return decision;
    }

    private static OwnLog.Read log(Turn turn) {
        return new OwnLog.Read(turn.observation.log(), turn.missing > 0);
    }

    private static void act(Turn turn, Intent intent) {
        boolean again = intent instanceof Intent.ServerDied || intent instanceof Intent.ServerHung;
        if (!turn.membership.known() && !again) {
            // A restarted agent has not asked Corosync yet: whether the peer is there is not known.
            return;
        }
        Decision decision = decide(turn, intent);
        if (!turn.membership.known() && !(decision instanceof Decision.RestartInPlace)) {
            return;
        }
        boolean takesOver =
                decision instanceof StartAsSoleVoter alone && alone.how() != Alone.CONTINUE;
        turn.takingOver = takesOver;
        carryOut(turn, decision);
        if (turn.order.isEmpty() && turn.observation.server() == EtcdState.HUNG && !takesOver) {
            killUnlessItStandsDown(turn, decision);
        }
    }

    /** Whatever is waited for, a server that hangs is of no use meanwhile. */
    private static void killUnlessItStandsDown(Turn turn, Decision decision) {
        switch (decision) {
            // Ended when that is on the disk.
            case Decision.StandDown _, Decision.JoinAsLearner _ -> {}
            case Decision.StartAsVoter _,
                    StartAsSoleVoter _,
                    Decision.Bootstrap _,
                    Decision.RestartInPlace _,
                    Decision.HandLeadershipOver _,
                    Decision.Depart _,
                    Decision.Stop _,
                    Decision.Wait _,
                    Decision.Refuse _ ->
                    kill(turn);
        }
    }

    // ---- acting -------------------------------------------------------------------------------

    /** Gives an order; nothing is decided until it was reported. */
    static void order(Turn turn, EtcdOrder what) {
        long id = turn.nextId();
        turn.order = Optional.of(new VolatileState.Ordered(id, what, turn.now));
        if (!(what instanceof EtcdOrder.End)) {
            turn.startedAt = turn.now;
            turn.restarting = false;
        }
        turn.act(new Action.Etcd(id, what));
    }

    private static void carryOut(Turn turn, Decision decision) {
        boolean running = turn.observation.running();
        switch (decision) {
            case Decision.StartAsVoter() -> {
                if (!running) {
                    startInPlace(turn);
                }
            }
            case Decision.RestartInPlace(boolean killFirst) -> {
                if (!running) {
                    restart(turn);
                } else if (killFirst) {
                    kill(turn);
                }
            }
            case StartAsSoleVoter alone -> goOnAlone(turn, alone);
            case Decision.Bootstrap() -> {
                if (turn.storeFirst(Recovering::startsPlainly)) {
                    order(turn, new EtcdOrder.Bootstrap());
                }
            }
            case Decision.JoinAsLearner join -> join(turn, join);
            case Decision.StandDown(StandDownReason reason) -> standDown(turn, reason);
            case Decision.Wait(WaitFor _), Decision.Refuse(Refusal _) -> {
                // Said in the status; asked again with every event.
            }
            case Decision.HandLeadershipOver(), Decision.Depart(), Decision.Stop(_) ->
                    throw new IllegalStateException("only a stop is answered with " + decision);
        }
    }

    /**
     * Stored first; the server is ended when it is. A node that cannot store it does what it can do
     * without.
     */
    private static void standDown(Turn turn, StandDownReason reason) {
        if (turn.writeTrouble.isPresent()) {
            if (reason == StandDownReason.CRASH_LOOP && !turn.observation.running()) {
                startInPlace(turn);
            }
            return;
        }
        if (!standsDown(turn, turn.wanted)) {
            turn.want(draft -> {
                draft.abdication = new Abdication.StandDown(draft.lastAbdication + 1);
                // A node that stands down no longer claims the epoch.
                draft.claim = Claim.none();
            });
        }
    }

    private static void startsPlainly(DurableState.Draft draft) {
        draft.ran = true;
        draft.forced = false;
    }

    private static void startInPlace(Turn turn) {
        if (turn.storeFirst(Recovering::startsPlainly)) {
            order(turn, new EtcdOrder.StartInPlace());
        }
    }

    /** Ends a server that hangs. One that even SIGKILL does not end makes this node unfit. */
    private static void kill(Turn turn) {
        turn.journal(new Notice.EtcdHung(turn.observation.words()));
        turn.restarting = true;
        order(turn, new EtcdOrder.End(true, turn.policy.kill()));
    }

    /**
     * A learner that dies at every start has got data that are no good. The leader has all of them,
     * so they are not worth another try: it asks for another seat to start over on.
     */
    private static void restart(Turn turn) {
        if (turn.observation.replica() instanceof Replica.Intact log
                && log.role() == MemberRole.LEARNER
                && turn.restarts.deathsLately(turn.now, turn.policy)
                        >= turn.policy.decision().deathsBeforeStandDown()) {
            giveBack(turn, log.memberId());
        } else {
            startInPlace(turn);
        }
    }

    /**
     * A running server is stopped first, and the decision taken again on what its disk then says:
     * the end of the log is known only when nobody writes to it.
     */
    private static void goOnAlone(Turn turn, StartAsSoleVoter alone) {
        if (alone.how() == Alone.CONTINUE) {
            if (!turn.observation.running()) {
                startInPlace(turn);
            }
            return;
        }
        if (turn.observation.running()) {
            turn.journal(
                    new Notice.TakeOver(Notice.TakeOver.Phase.STOPPING, alone.lineage().current()));
            order(turn, new EtcdOrder.End(true, turn.policy.end()));
            return;
        }
        Abdication given = turn.wanted.abdicationOn(turn.observation.replica());
        boolean stored =
                turn.storeFirst(draft -> {
                    draft.abdication = given;
                    draft.claim = new Claim.TakeOver(alone.lineage().current());
                    draft.ran = true;
                    draft.forced = true;
                });
        if (stored) {
            turn.journal(
                    new Notice.TakeOver(Notice.TakeOver.Phase.FORCING, alone.lineage().current()));
            order(turn, new EtcdOrder.TakeOver(alone.lineage(), turn.observation.generation()));
        }
    }

    private static void join(Turn turn, Decision.JoinAsLearner join) {
        Offer.JoinToken token = join.token();
        boolean keepsData = join.data() == Decision.DataStep.KEEP;
        if (turn.observation.running()
                && token.equals(turn.joinedWith)
                && !turn.now.isLaterThan(turn.policy.join(), turn.startedAt)) {
            // It was started for this very offer and is still learning.
            return;
        }
        if (!keepsData
                && token.memberId() == turn.wanted.joinedAs()
                && !token.equals(turn.joining)) {
            giveBack(turn, token.memberId());
            return;
        }
        if (!(turn.peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                && theirs.replica() instanceof Replica.Intact leaders)) {
            return;
        }
        if (turn.observation.running()) {
            order(turn, new EtcdOrder.End(true, turn.policy.end()));
            return;
        }
        turn.joining = token;
        boolean stored =
                turn.storeFirst(draft -> {
                    // Before anything of it can reach the leader.
                    draft.joinedAs = token.memberId();
                    // The log that reached this far is set aside.
                    draft.peerCommit = keepsData ? draft.peerCommit : PeerCommit.none();
                    startsPlainly(draft);
                });
        if (stored) {
            turn.joining = Offer.none();
            turn.joinedWith = token;
            turn.restarts = turn.restarts.forgetDeaths();
            turn.offer = Offer.none();
            order(turn, new EtcdOrder.Join(leaders.lineage(), keepsData));
        }
    }

    /**
     * The leader counts what the member of this seat has stored, and that is gone or no good: etcd
     * would panic on the leader's first message. The leader removes this member and adds a new one.
     */
    private static void giveBack(Turn turn, long memberId) {
        if (!turn.offer.equals(new Offer.GivenBack(memberId))) {
            turn.journal(new Notice.AnotherSeatRequested(memberId));
            turn.offer = new Offer.GivenBack(memberId);
            turn.act(new Action.TellPeer());
        }
    }
}
