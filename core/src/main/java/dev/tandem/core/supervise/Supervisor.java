package dev.tandem.core.supervise;

import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerConversation;
import dev.tandem.core.replica.Replica;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Keeps etcd of a node as it should be: takes in what happened and says what is to be done about
 * it.
 *
 * <p>The rules that stand above the others:
 *
 * <ul>
 *   <li><b>Write first.</b> What is decided on goes to {@link VolatileState.Writes#wanted}, and the
 *       only action is {@link Action.Store}. When that is reported, it is decided again, and then
 *       acted. A write that fails leaves {@link State#stored} as it was, is tried again after a
 *       pause, and takes nothing away of what physically happened.
 *   <li><b>Only what is stored is told</b>: to the peer, to Pacemaker, to a person.
 *   <li><b>A proof is of one boot</b>, and ends with a sign of life that is younger ({@link
 *       dev.tandem.core.decision.Proofs}).
 *   <li><b>One order to etcd at a time</b>, and nothing is decided until it was reported.
 * </ul>
 *
 * <p>It is a function: the same state, event, moment and policy give the same outcome. It may be
 * called with any event in any state; an event that comes late, twice or for nothing changes
 * nothing that matters. Moments must not go backwards from one call to the next.
 */
public final class Supervisor {
    private Supervisor() {}

    /** The state after an event, and what is to be done, in this order. */
    public record Outcome(State state, List<Action> actions) {
        public Outcome {
            actions = List.copyOf(actions);
        }
    }

    /**
     * What is known to an agent that starts, and is not in its durable state.
     *
     * @param falseOff the peer's BMC was last known to read Off while the peer was there
     * @param secondFalseOff the same of the second of its BMCs
     * @param stopped Pacemaker's resource agent has stopped etcd while no agent answered
     * @param installing the mark of a running installation is there
     */
    public record Marks(
            boolean falseOff, boolean secondFalseOff, boolean stopped, boolean installing) {
        public static final Marks NONE = new Marks(false, false, false, false);
    }

    /**
     * At the start of an agent, in a boot that may have seen other agents before.
     *
     * @param disk as it was read, {@link DurableState#in} this boot
     * @param first what is seen of etcd before anything is done about it
     * @param marks what other programs and earlier agents have left for this one
     */
    public static Outcome begin(
            State.Node node, DurableState disk, ServerObservation first, Marks marks, Moment now) {
        long firstWrite = 1;
        // A start is on the disk before it is ordered.
        boolean forgot = first.running() && !disk.ran();
        DurableState known = forgot ? beside(first, disk) : disk;
        DurableState kept = marks.stopped() ? known.with(draft -> draft.wanted = false) : known;
        VolatileState live =
                new VolatileState(
                        new VolatileState.Server(
                                first,
                                now,
                                false,
                                now,
                                Optional.empty(),
                                // A start that was ordered before this agent has its whole time
                                // once more, not for ever.
                                now,
                                Offer.none(),
                                false,
                                ObservationRules.missing(first, disk.peerCommit(), 0)),
                        new VolatileState.Heard(
                                new PeerConversation(disk.peer(), 0, disk.peerKnownNotAhead()),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                true,
                                Optional.empty(),
                                now),
                        Membership.UNKNOWN,
                        now,
                        forgot,
                        new VolatileState.Power(
                                PowerReading.UNKNOWN,
                                VolatileState.OffWhilePresent.since(marks.falseOff()),
                                VolatileState.OffWhilePresent.since(marks.secondFalseOff()),
                                Optional.empty(),
                                Instant.EPOCH,
                                now,
                                // Proofs from before a restart of the agent: if the peer is there
                                // now, it has come back.
                                true,
                                List.of()),
                        new VolatileState.Fencing(
                                false,
                                false,
                                now,
                                Duration.ZERO,
                                Optional.empty(),
                                false,
                                Optional.empty()),
                        RestartBackoff.none(now),
                        new VolatileState.Writes(
                                kept,
                                Optional.of(new VolatileState.Write(firstWrite, kept, now)),
                                0,
                                now,
                                now,
                                Optional.empty(),
                                List.of()),
                        new VolatileState.Work(
                                firstWrite + 1,
                                Optional.empty(),
                                Optional.empty(),
                                now,
                                Optional.empty(),
                                Optional.empty(),
                                false,
                                false,
                                Offer.none()),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Offer.none(),
                        Optional.empty(),
                        marks.installing());
        // Mostly nothing has changed; but a disk that stores nothing is better found now than in
        // need.
        return new Outcome(
                new State(node, disk, live), List.of(new Action.Store(firstWrite, kept)));
    }

    /**
     * What is certain where etcd runs in a boot of which nothing is on the disk: the file was lost
     * beside it. An agent has started it in this boot, and Pacemaker had ordered that and takes it
     * for started to this day, or it would have been stopped. So nobody orders it again, and what
     * is not wanted is not recovered. Where systemd does not say whether it runs at all, nothing is
     * certain, and Pacemaker's monitor has it stopped and started.
     *
     * <p>What else was in the file stays unknown (ADR 21): nothing that was heard of the peer, no
     * proof and no meeting is made up.
     */
    private static DurableState beside(ServerObservation running, DurableState lost) {
        return lost.with(draft -> {
            if (running.server() != EtcdState.UNSEEN) {
                draft.wanted = true;
                draft.ran = true;
            }
            if (running.replica() instanceof Replica.Intact log) {
                // The leader counts on what this server has stored there.
                draft.joinedAs = log.memberId();
            }
        });
    }

    /** What follows from an event. */
    public static Outcome on(State state, Event event, Moment now, SupervisorPolicy policy) {
        NextState next = new NextState(state, now, policy);
        switch (event) {
            case Event.EtcdObserved(ServerObservation seen) -> ObservationRules.saw(next, seen);
            case Event.MembershipRead(Membership membership) -> ProofRules.member(next, membership);
            case Event.PeerAsked asked -> PeerMessageRules.asked(next, asked);
            case Event.PeerAnswered answer -> PeerMessageRules.answered(next, answer);
            case Event.FenceAnswered answer -> ProofRules.fenced(next, answer);
            case Event.LevelTwoFound found -> ProofRules.levelTwo(next, found);
            case Event.SecondRecordFound(Event.LevelTwoFound found) ->
                    ProofRules.secondRecord(next, found);
            case Event.FurtherLevelFound found -> ProofRules.furtherLevel(next, found);
            case Event.PeerPowerRead read -> ProofRules.read(next, read);
            case Event.SecondPowerRead read -> ProofRules.readSecond(next, read);
            case Event.PersonStated statement -> ProofRules.stated(next, statement);
            case Event.FencingSeen(boolean underWay) -> FenceOrderRules.fencing(next, underWay);
            case Event.FenceExpected(Duration within) ->
                    FenceOrderRules.postpone(next, within.plus(policy.fenceOrder()));
            case Event.PacemakerRead(boolean mayFence) -> next.fencingAllowed = mayFence;
            case Event.StartRequested(boolean installing) -> {
                next.installing |= installing;
                RunRules.startRequested(next);
            }
            case Event.StopRequested stop -> StopRules.stopRequested(next, stop);
            case Event.LearnerUnheard(long generation) -> RunRules.unheard(next, generation);
            case Event.Tick() -> {
                // What is due by now follows below.
            }
            case Event.Stored(long write) -> StoreRules.stored(next, write);
            case Event.NotStored(long write, String why) -> StoreRules.notStored(next, write, why);
            case Event.EtcdOrderEnded(long order, Event.OrderResult result) ->
                    ObservationRules.ended(next, order, result);
            case Event.StepEnded step -> AdmissionRules.ended(next, step);
            case Event.HandOverEnded(long id) -> StopRules.handedOver(next, id);
            case Event.FenceOrderEnded ended -> FenceOrderRules.orderEnded(next, ended);
            case Event.MarkEnded mark -> ObservationRules.marked(next, mark);
            case Event.InstallationClosed(boolean done) -> {
                // It serves by now, so the mark lets nothing begin. The next agent tries again.
                if (!done) {
                    next.trouble = Optional.of("the mark of the installation cannot be deleted");
                }
            }
        }
        if (next.wanted.wanted()) {
            RunRules.step(next);
        } else {
            StopRules.step(next);
        }
        FenceOrderRules.orderFence(next);
        // Not only after an answer: two that ask at the same moments overtake each other's answers
        // every time.
        if (event instanceof Event.PeerAsked) {
            AdmissionRules.next(next, next.storedFacts());
        } else if (event instanceof Event.PeerAnswered answer) {
            AdmissionRules.next(next, answer.question().mine());
        }
        PeerMessageRules.answer(next);
        StoreRules.write(next);
        return new Outcome(next.state(), next.actions());
    }
}
