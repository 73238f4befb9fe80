package dev.tandem.core.supervise;

import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerConversation;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One event being taken in: the state laid out to be changed, and the actions so far. It lives for
 * one call of {@link Supervisor#on} and nobody outside sees it. The names are those of {@link
 * VolatileState}.
 */
final class NextState {
    final State.Node node;
    final Moment now;
    final SupervisorPolicy policy;
    private final List<Action> actions = new ArrayList<>();

    DurableState stored;

    ServerObservation observation;
    Moment lookedAt;
    boolean served;
    Moment downSince;
    Optional<Moment> leaderlessSince;
    Moment startedAt;
    Offer joinedWith;
    boolean unfit;
    long missing;

    PeerConversation conversation;
    Optional<Moment> heardAt;
    Optional<Moment> factsAt;
    Optional<Moment> peerLeaderlessSince;
    Optional<VolatileState.Span> contradicts;
    boolean missedSinceHeard;
    Optional<VolatileState.Asker> asker;
    Moment aliveAt;

    /** The peer's question is to be answered. */
    boolean answers;

    Membership membership;
    Moment membershipAt;
    boolean forgot;

    PowerReading reading;
    VolatileState.OffWhilePresent firstBmc;
    VolatileState.OffWhilePresent secondBmc;
    Optional<VolatileState.Span> heldOff;
    Instant readAt;
    Moment provenAt;
    boolean missedSinceProof;
    List<VolatileState.LevelTwoLooks> levelTwo;

    boolean fencingAllowed;
    boolean fencingUnderWay;
    Moment fenceNotBefore;
    boolean fenceProvedNothing;
    Optional<Moment> presentSince;
    Duration fencePause;
    Optional<Long> fenceOrder;

    RestartBackoff restarts;

    DurableState wanted;
    Optional<VolatileState.Write> inFlight;
    int writeFailures;
    Moment writeNotBefore;
    Moment writtenAt;
    Optional<String> writeTrouble;
    List<VolatileState.Waiting> waiting;

    long nextId;
    Optional<VolatileState.Ordered> order;
    Optional<Long> step;
    Moment stepNotBefore;
    Optional<Long> handOver;
    Optional<Long> mark;
    boolean takingOver;
    boolean restarting;
    Offer joining;

    Optional<VolatileState.Stopping> stopping;
    Optional<VolatileState.Pending> pending;
    Optional<String> trouble;
    Offer offer;
    Optional<VolatileState.SeatRequest> seatRequest;
    boolean installing;

    NextState(State state, Moment now, SupervisorPolicy policy) {
        this.node = state.node();
        this.now = now;
        this.policy = policy;
        this.stored = state.stored();
        VolatileState live = state.live();
        VolatileState.Server server = live.server();
        this.observation = server.observation();
        this.lookedAt = server.lookedAt();
        this.served = server.served();
        this.downSince = server.downSince();
        this.leaderlessSince = server.leaderlessSince();
        this.startedAt = server.startedAt();
        this.joinedWith = server.joinedWith();
        this.unfit = server.unfit();
        this.missing = server.missing();
        VolatileState.Heard heard = live.heard();
        this.conversation = heard.conversation();
        this.heardAt = heard.at();
        this.factsAt = heard.factsAt();
        this.peerLeaderlessSince = heard.leaderlessSince();
        this.contradicts = heard.contradicts();
        this.missedSinceHeard = heard.missedSince();
        this.asker = heard.asker();
        this.aliveAt = heard.aliveAt();
        this.membership = live.membership();
        this.membershipAt = live.membershipAt();
        this.forgot = live.forgot();
        VolatileState.Power power = live.power();
        this.reading = power.reading();
        this.firstBmc = power.first();
        this.secondBmc = power.second();
        this.heldOff = power.heldOff();
        this.readAt = power.readAt();
        this.provenAt = power.provenAt();
        this.missedSinceProof = power.missedSinceProof();
        this.levelTwo = power.levelTwo();
        VolatileState.Fencing fencing = live.fencing();
        this.fencingAllowed = fencing.allowed();
        this.fencingUnderWay = fencing.underWay();
        this.fenceNotBefore = fencing.notBefore();
        this.fencePause = fencing.pause();
        this.fenceProvedNothing = fencing.provedNothing();
        this.presentSince = fencing.presentSince();
        this.fenceOrder = fencing.order();
        this.restarts = live.restarts();
        VolatileState.Writes writes = live.writes();
        this.wanted = writes.wanted();
        this.inFlight = writes.inFlight();
        this.writeFailures = writes.failures();
        this.writeNotBefore = writes.notBefore();
        this.writtenAt = writes.at();
        this.writeTrouble = writes.trouble();
        this.waiting = new ArrayList<>(writes.waiting());
        VolatileState.Work work = live.work();
        this.nextId = work.nextId();
        this.order = work.etcd();
        this.step = work.step();
        this.stepNotBefore = work.stepNotBefore();
        this.handOver = work.handOver();
        this.mark = work.mark();
        this.takingOver = work.takingOver();
        this.restarting = work.restarting();
        this.joining = work.joining();
        this.stopping = live.stopping();
        this.pending = live.pending();
        this.trouble = live.trouble();
        this.offer = live.offer();
        this.seatRequest = live.seatRequest();
        this.installing = live.installing();
    }

    State state() {
        return new State(
                node,
                stored,
                new VolatileState(
                        new VolatileState.Server(
                                observation,
                                lookedAt,
                                served,
                                downSince,
                                leaderlessSince,
                                startedAt,
                                joinedWith,
                                unfit,
                                missing),
                        new VolatileState.Heard(
                                conversation,
                                heardAt,
                                factsAt,
                                peerLeaderlessSince,
                                contradicts,
                                missedSinceHeard,
                                asker,
                                aliveAt),
                        membership,
                        membershipAt,
                        forgot,
                        new VolatileState.Power(
                                reading,
                                firstBmc,
                                secondBmc,
                                heldOff,
                                readAt,
                                provenAt,
                                missedSinceProof,
                                levelTwo),
                        new VolatileState.Fencing(
                                fencingAllowed,
                                fencingUnderWay,
                                fenceNotBefore,
                                fencePause,
                                fenceOrder,
                                fenceProvedNothing,
                                presentSince),
                        restarts,
                        new VolatileState.Writes(
                                wanted,
                                inFlight,
                                writeFailures,
                                writeNotBefore,
                                writtenAt,
                                writeTrouble,
                                waiting),
                        new VolatileState.Work(
                                nextId,
                                order,
                                step,
                                stepNotBefore,
                                handOver,
                                mark,
                                takingOver,
                                restarting,
                                joining),
                        stopping,
                        pending,
                        trouble,
                        offer,
                        seatRequest,
                        installing));
    }

    List<Action> actions() {
        return actions;
    }

    SupervisorView view() {
        return new SupervisorView(state(), now, policy);
    }

    // ---- acting -------------------------------------------------------------------------------

    void act(Action action) {
        actions.add(action);
    }

    void journal(Notice notice) {
        actions.add(new Action.Journal(notice));
    }

    long nextId() {
        return nextId++;
    }

    /** Changes what is to be on the disk. */
    void want(Consumer<DurableState.Draft> change) {
        wanted = wanted.with(change);
    }

    /**
     * Wants this on the disk; true if it is there already. If it is not, what depends on it is
     * decided again when it is.
     */
    boolean storeFirst(Consumer<DurableState.Draft> change) {
        want(change);
        return stored.with(change).equals(stored);
    }

    /** Tells the caller once all that is wanted now is on the disk. */
    void acknowledgeWhenStored(long caller) {
        if (wanted.equalsIgnoringIndexes(stored)) {
            act(new Action.Acknowledge(caller, new Action.Acknowledgement.Done()));
        } else {
            long write =
                    inFlight.filter(flying -> flying.content().equalsIgnoringIndexes(wanted))
                            .map(VolatileState.Write::id)
                            .orElse(nextId);
            waiting.add(new VolatileState.Waiting(caller, write));
        }
    }

    // ---- knowing ------------------------------------------------------------------------------

    /** This node's facts as they will be when what is wanted is stored: what is decided on. */
    NodeFacts wantedFacts() {
        return SupervisorView.facts(node, observation, missing, offered(), wanted);
    }

    NodeFacts storedFacts() {
        return SupervisorView.facts(node, observation, missing, offered(), stored);
    }

    private Offer offered() {
        return SupervisorView.offer(
                node, observation.replica(), offer, conversation.view(), installing);
    }

    PeerView peerView() {
        return conversation.view();
    }

    boolean peerMissing() {
        return membership.known() && !membership.peerPresent();
    }

    boolean hasRole(MemberRole which) {
        return observation.replica() instanceof Replica.Intact log && log.role() == which;
    }

    /** Whether what is known of etcd here was seen lately. */
    boolean looksAreFresh() {
        return !now.isLaterThan(policy.ownLookFresh(), lookedAt);
    }

    boolean longerThan(Duration limit, Optional<Moment> since) {
        return since.isPresent() && now.isLaterThan(limit, since.get());
    }
}
