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
import dev.tandem.core.peer.PeerCommit;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import dev.tandem.core.supervise.VolatileState.SeatRequest;
import java.time.Duration;
import java.util.Optional;

/** What etcd of this node is to do, while Pacemaker wants it to run: when to ask, and then what. */
final class RunRules {
    private RunRules() {}

    static void startRequested(NextState next) {
        if (!next.wanted.wanted()) {
            next.journal(new Notice.StartRequested());
            next.downSince = next.now;
            next.restarts = next.restarts.atOnce(next.now);
        }
        next.stopping = Optional.empty();
        next.want(draft -> draft.wanted = true);
    }

    /** The learner of this start has its snapshot, and has not published its client URLs. */
    static void unheard(NextState next, long generation) {
        if (generation == next.observation.generation()
                && next.observation.starting()
                && next.wanted.wanted()
                && mayOrder(next)
                && next.storeFirst(RunRules::startsPlainly)) {
            next.journal(new Notice.LearnerRestarted());
            order(next, new EtcdOrder.RestartInPlace(next.policy.end()));
        }
    }

    // ---- when to ask --------------------------------------------------------------------------

    private static boolean mayOrder(NextState next) {
        return next.order.isEmpty() && next.mark.isEmpty();
    }

    static void step(NextState next) {
        if (!next.stored.wanted() || !mayOrder(next)) {
            return;
        }
        if (!next.observation.running()) {
            if (next.restarts.mayStart(next.now)) {
                act(next, startIntent(next));
            }
            return;
        }
        if (!next.restarts.mayTryAgain(next.now)) {
            return;
        }
        if (standsDown(next, next.stored) && standsDown(next, next.wanted)) {
            order(next, new EtcdOrder.End(true, next.policy.end()));
            return;
        }
        if (next.observation.server() == EtcdState.UNSEEN) {
            unseen(next);
            return;
        }
        if (next.observation.server() == EtcdState.HUNG || PeerMessageRules.isContradicted(next)) {
            // Nothing more can be done about one that was killed and did not end.
            if (!next.unfit) {
                act(next, new Intent.ServerHung());
            }
            return;
        }
        if (claimed(next)) {
            return;
        }
        if (next.peerMissing()
                && (next.hasRole(MemberRole.ONE_OF_TWO) || !next.observation.serves())) {
            act(next, new Intent.Recover());
        } else if (next.observation.serves()) {
            serves(next);
        } else {
            leaderless(next);
        }
    }

    private static boolean standsDown(NextState next, DurableState state) {
        return state.abdicationOn(next.observation.replica()) instanceof Abdication.StandDown;
    }

    /** The claim is over, and what was given up before it with it. */
    private static void dropClaim(NextState next) {
        Abdication now = next.wanted.abdicationOn(next.observation.replica());
        next.want(draft -> {
            draft.abdication = now;
            draft.claim = Claim.none();
        });
    }

    /** What a claim asks for; false if there is none, or none any more. */
    private static boolean claimed(NextState next) {
        if (ObservationRules.claimed(next).isEmpty()) {
            return false;
        }
        boolean sole = next.hasRole(MemberRole.SOLE);
        boolean starting = next.observation.starting();
        boolean forced = starting && next.wanted.forced();
        boolean inTime =
                !next.now.isLaterThan(
                        next.restarts.readyWithin(next.policy).plus(next.view().loading()),
                        next.startedAt);
        if ((forced && inTime) || (sole && !starting && !next.observation.serves())) {
            return true;
        }
        if (!sole || starting) {
            act(next, new Intent.Recover());
            if (forced && next.order.isPresent()) {
                next.restarts = next.restarts.gaveUp();
            }
            return true;
        }
        dropClaim(next);
        return false;
    }

    private static void serves(NextState next) {
        next.pending = Optional.empty();
        next.takingOver = false;
        if (!(next.observation.replica() instanceof Replica.Intact)) {
            return;
        }
        // One of an epoch that these data never entered means nothing.
        dropClaim(next);
        if (next.installing) {
            next.journal(new Notice.Installed());
            closeInstallation(next);
        }
    }

    /** A server of this pair serves: a mark that stayed could begin another history one day. */
    static void closeInstallation(NextState next) {
        if (next.installing) {
            next.installing = false;
            next.act(new Action.CloseInstallation());
        }
    }

    /**
     * Of a server that refuses its own agent nothing is known, so nothing is done to it. But with
     * the peer proven off it has lost its other half for certain, and is made the only voter, once;
     * whether it then serves is not seen either.
     */
    private static void unseen(NextState next) {
        if (next.peerMissing()
                && ObservationRules.claimed(next).isEmpty()
                && next.hasRole(MemberRole.ONE_OF_TWO)) {
            act(next, new Intent.Recover());
        }
    }

    /** Both nodes are there, this server runs, and it knows no leader. */
    private static void leaderless(NextState next) {
        if (!next.membership.peerPresent()
                || next.observation.silent()
                || !next.longerThan(next.policy.leaderless(), next.leaderlessSince)) {
            // Of a server that is silent nothing is known that the peer's word could be held to.
            return;
        }
        Duration limit = next.policy.portsCut().plus(next.view().loading());
        boolean cut = next.longerThan(limit, PeerMessageRules.bothLeaderlessSince(next));
        act(next, cut ? new Intent.LeaderLost() : new Intent.Recover());
    }

    private static Intent startIntent(NextState next) {
        // An empty cluster is begun only when the peer has said that it has nothing either: the
        // mark on a reinstalled node must not found a second history beside the peer's.
        if (next.observation.replica() instanceof Replica.Missing
                && next.peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                && theirs.replica() instanceof Replica.Missing
                && (next.installing
                        || (theirs.offer() instanceof Offer.Founding leave
                                && leave.installing()))) {
            return new Intent.Install(true);
        }
        if (next.takingOver) {
            // It was ended for that, and has not died.
            return new Intent.Recover();
        }
        boolean again = next.restarting || next.restarts.deathsInARow() > 0;
        return next.wanted.ran() && again
                ? new Intent.ServerDied(next.restarts.deathsLately(next.now, next.policy))
                : new Intent.Start();
    }

    /** Whether this node, alone since it booted, would start if Pacemaker asked it to. */
    static boolean mayStartAlone(NextState next) {
        return !next.wanted.wanted()
                && !next.membership.peerPresent()
                && !next.observation.running()
                && log(next).decide(situation(next, new Intent.Start()))
                        instanceof StartAsSoleVoter;
    }

    // ---- deciding -----------------------------------------------------------------------------

    static PeerMembership peerMembership(NextState next) {
        return new PeerMembership(
                next.node.peer(),
                next.wanted.met() || next.membership.peerPresent(),
                next.membership.peerPresent(),
                next.wanted.peerKnownNotAhead());
    }

    private static Situation situation(NextState next, Intent intent) {
        // What this node's log lacks is given up with the rest, if a person says so.
        NodeFacts mine =
                ProofRules.lossIsAccepted(next)
                        ? SupervisorView.facts(
                                next.node, next.observation, 0, next.offer, next.wanted)
                        : next.wantedFacts();
        return new Situation(
                mine,
                next.peerView(),
                ProofRules.all(next),
                peerMembership(next),
                next.policy.decision(),
                intent);
    }

    static Decision decide(NextState next, Intent intent) {
        Situation situation = situation(next, intent);
        OwnLog.Read log = log(next);
        Decision decision = log.decide(situation);
        boolean news =
                next.pending
                        .filter(last ->
                                last.decision().equals(decision)
                                        && last.intent().getClass() == intent.getClass())
                        .isEmpty();
        if (news) {
            String sentence = decision.sentence(next.node.self(), next.node.peer());
            next.pending =
                    Optional.of(new VolatileState.Pending(decision, intent, sentence, next.now));
            next.journal(new Notice.Decided(sentence, decision, situation, log));
        }
        return decision;
    }

    private static OwnLog.Read log(NextState next) {
        return new OwnLog.Read(next.observation.log(), next.missing > 0);
    }

    private static void act(NextState next, Intent intent) {
        boolean again = intent instanceof Intent.ServerDied || intent instanceof Intent.ServerHung;
        if (!next.membership.known() && !again) {
            // A restarted agent has not asked Corosync yet: whether the peer is there is not known.
            return;
        }
        Decision decision = decide(next, intent);
        if (!next.membership.known() && !(decision instanceof Decision.RestartInPlace)) {
            return;
        }
        boolean takesOver =
                decision instanceof StartAsSoleVoter alone && alone.how() != Alone.CONTINUE;
        next.takingOver = takesOver;
        carryOut(next, decision);
        if (next.order.isEmpty() && next.observation.server() == EtcdState.HUNG && !takesOver) {
            killUnlessItStandsDown(next, decision);
        }
    }

    /** Whatever is waited for, a server that hangs is of no use meanwhile. */
    private static void killUnlessItStandsDown(NextState next, Decision decision) {
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
                    kill(next);
        }
    }

    // ---- acting -------------------------------------------------------------------------------

    /** Gives an order; nothing is decided until it was reported. */
    static void order(NextState next, EtcdOrder what) {
        long id = next.nextId();
        next.order = Optional.of(new VolatileState.Ordered(id, what, next.now));
        if (!(what instanceof EtcdOrder.End)) {
            next.startedAt = next.now;
            next.restarting = false;
        }
        next.act(new Action.Etcd(id, what));
    }

    private static void carryOut(NextState next, Decision decision) {
        boolean running = next.observation.running();
        switch (decision) {
            case Decision.StartAsVoter() -> {
                if (!running) {
                    startInPlace(next);
                }
            }
            case Decision.RestartInPlace(boolean killFirst) -> {
                if (!running) {
                    restart(next);
                } else if (killFirst) {
                    kill(next);
                }
            }
            case StartAsSoleVoter alone -> goOnAlone(next, alone);
            case Decision.Bootstrap() -> {
                if (next.storeFirst(RunRules::startsPlainly)) {
                    order(next, new EtcdOrder.Bootstrap());
                }
            }
            case Decision.JoinAsLearner join -> join(next, join);
            case Decision.StandDown(StandDownReason reason) -> standDown(next, reason);
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
    private static void standDown(NextState next, StandDownReason reason) {
        if (next.writeTrouble.isPresent()) {
            if (reason == StandDownReason.CRASH_LOOP && !next.observation.running()) {
                startInPlace(next);
            }
            return;
        }
        if (!standsDown(next, next.wanted)) {
            next.want(draft -> {
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

    private static void startInPlace(NextState next) {
        startInPlace(next, false);
    }

    private static void startInPlace(NextState next, boolean lossAccepted) {
        if (next.storeFirst(RunRules::startsPlainly)) {
            order(next, new EtcdOrder.StartInPlace(lossAccepted));
        }
    }

    /** Ends a server that hangs. One that even SIGKILL does not end makes this node unfit. */
    private static void kill(NextState next) {
        next.journal(new Notice.EtcdHung(next.observation.words()));
        next.restarting = true;
        order(next, new EtcdOrder.End(true, next.policy.kill()));
    }

    /**
     * A learner that dies at every start has got data that are no good. The leader has all of them,
     * so they are not worth another try: it asks for another seat to start over on. While it may
     * not ask it is started all the same: what it dies of may be a full disk, and end.
     */
    private static void restart(NextState next) {
        boolean givenBack =
                next.observation.replica() instanceof Replica.Intact log
                        && log.role() == MemberRole.LEARNER
                        && next.restarts.deathsLately(next.now, next.policy)
                                >= next.policy.decision().deathsBeforeStandDown()
                        && givesBack(next, log.memberId());
        if (!givenBack) {
            startInPlace(next);
        }
    }

    /**
     * A running server is stopped first, and the decision taken again on what its disk then says:
     * the end of the log is known only when nobody writes to it.
     */
    private static void goOnAlone(NextState next, StartAsSoleVoter alone) {
        if (alone.how() == Alone.CONTINUE) {
            if (!next.observation.running()) {
                startInPlace(next, ProofRules.lossIsAccepted(next));
            }
            return;
        }
        if (next.observation.running()) {
            next.journal(
                    new Notice.TakeOver(Notice.TakeOver.Phase.STOPPING, alone.lineage().current()));
            order(next, new EtcdOrder.End(true, next.policy.end()));
            return;
        }
        Abdication given = next.wanted.abdicationOn(next.observation.replica());
        boolean stored =
                next.storeFirst(draft -> {
                    draft.abdication = given;
                    draft.claim = new Claim.TakeOver(alone.lineage().current());
                    draft.ran = true;
                    draft.forced = true;
                });
        if (stored) {
            next.journal(
                    new Notice.TakeOver(Notice.TakeOver.Phase.FORCING, alone.lineage().current()));
            order(
                    next,
                    new EtcdOrder.TakeOver(
                            alone.lineage(),
                            next.observation.generation(),
                            ProofRules.lossIsAccepted(next)));
        }
    }

    private static void join(NextState next, Decision.JoinAsLearner join) {
        Offer.JoinToken token = join.token();
        boolean keepsData = join.data() == Decision.DataStep.KEEP;
        if (next.observation.running()
                && token.equals(next.joinedWith)
                && !next.now.isLaterThan(next.policy.join(), next.startedAt)) {
            // It was started for this very offer and is still learning.
            return;
        }
        if (!keepsData
                && token.memberId() == next.wanted.joinedAs()
                && !token.equals(next.joining)) {
            if (!givesBack(next, token.memberId())) {
                next.trouble =
                        next.trouble.or(() -> next.seatRequest.map(last -> asksLater(next, last)));
            }
            return;
        }
        if (!(next.peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                && theirs.replica() instanceof Replica.Intact leaders)) {
            return;
        }
        if (next.observation.running()) {
            order(next, new EtcdOrder.End(true, next.policy.end()));
            return;
        }
        next.joining = token;
        boolean stored =
                next.storeFirst(draft -> {
                    // Before anything of it can reach the leader.
                    draft.joinedAs = token.memberId();
                    // The log that reached this far is set aside.
                    draft.peerCommit = keepsData ? draft.peerCommit : PeerCommit.none();
                    startsPlainly(draft);
                });
        if (stored) {
            next.joining = Offer.none();
            next.joinedWith = token;
            next.restarts = next.restarts.forgetDeaths();
            next.offer = Offer.none();
            order(next, new EtcdOrder.Join(leaders.lineage(), keepsData));
        }
    }

    /**
     * The leader counts what the member of this seat has stored, and that is gone or no good: etcd
     * would panic on the leader's first message. The leader removes this member and adds a new one.
     *
     * @return false if it is too early to ask again
     */
    private static boolean givesBack(NextState next, long memberId) {
        Offer givenBack = new Offer.GivenBack(memberId);
        if (next.offer.equals(givenBack)) {
            return true;
        }
        Optional<SeatRequest> last = next.seatRequest;
        if (last.filter(it -> next.now.isBefore(it.at().plus(it.pause()))).isPresent()) {
            return false;
        }
        Duration longest = next.policy.longestSeatPause();
        Duration pause =
                last.map(it -> it.pause().multipliedBy(2)).orElse(next.policy.shortestSeatPause());
        next.seatRequest =
                Optional.of(
                        new SeatRequest(next.now, pause.compareTo(longest) < 0 ? pause : longest));
        next.journal(new Notice.AnotherSeatRequested(memberId));
        next.offer = givenBack;
        next.act(new Action.TellPeer());
        return true;
    }

    private static String asksLater(NextState next, SeatRequest last) {
        return ("the copy that %s made of %s's data is unusable again; it asks for another place in"
                        + " the member list %d s after its last request (to find out why:"
                        + " journalctl -u tandem-etcd)")
                .formatted(next.node.self(), next.node.peer(), last.pause().toSeconds());
    }
}
