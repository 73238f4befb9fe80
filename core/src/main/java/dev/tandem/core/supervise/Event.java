package dev.tandem.core.supervise;

import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What can happen to a supervisor. The first group comes from outside in any order and any number;
 * of the second, each is the report of one {@link Action} and comes once. Instants are for people;
 * nothing is judged by them.
 */
public sealed interface Event {

    // ---- from outside -------------------------------------------------------------------------

    /** etcd was looked at. Observations may overtake each other and the reports of orders. */
    record EtcdObserved(ServerObservation seen) implements Event {}

    /** Corosync was asked. */
    record MembershipRead(Membership membership) implements Event {}

    /**
     * The peer asks, and its question carries a message. Answered by an {@link Action.AnswerPeer},
     * or not at all if it was overtaken.
     *
     * @param number rises with each question of one boot of the peer
     * @param understood false if nothing of it was, but that the peer lives in this boot
     */
    record PeerAsked(long number, PeerMessage message, boolean understood) implements Event {}

    /** The peer answered this question, which {@link SupervisorView#question} had made. */
    record PeerAnswered(VolatileState.Question question, PeerMessage message, boolean understood)
            implements Event {}

    /**
     * A fence action came to its end, by this node's agent or by another way. Answered by an {@link
     * Action.Acknowledge}: Pacemaker is told of success only after it.
     *
     * @param order as it was when the action was ordered
     * @param machine which machine the BMC that was read controls
     * @param membership read after it; not known if it was not
     */
    record FenceAnswered(
            long caller,
            Proofs.Order order,
            Proofs.Machine machine,
            String method,
            FenceReading reading,
            Membership membership,
            Instant time)
            implements Event {}

    /**
     * The second fencing level left a record, and the peer's BMC was asked about it. Nobody waits
     * for what becomes of it, and it may be found again and again.
     *
     * @param order to the boot that was known before the BMC was asked
     * @param record with moments that were read after it
     * @param machine which machine the BMC controls; another one also where the record names it
     * @param power what it reads now: the peer may have been switched on again
     * @param asking when it was asked. The record was there already, so Off was read before
     * @param membership read before it
     */
    record LevelTwoFound(
            Proofs.Order order,
            LevelTwoRecord record,
            Proofs.Machine machine,
            PowerReading power,
            String method,
            Moment asking,
            Membership membership,
            Instant time)
            implements Event {}

    /**
     * The same of a fence by the second of the peer's BMCs: whether that one reads Off falsely says
     * nothing about the first, and the other way round.
     */
    record SecondRecordFound(LevelTwoFound found) implements Event {}

    /**
     * A further fencing level left a record. Its agent switches an outlet or a virtual machine, and
     * tells of no machine. Nobody waits for what becomes of it, and it may be found again and
     * again.
     *
     * @param number which of the further levels, from 1
     * @param order to the boot that was known when the record was found
     * @param record of which only the plan tells who gave it
     * @param provesOff a person says, in the plan, that it is the power of the peer and of nothing
     *     else
     * @param asking when the record was there already, so Off was read before
     * @param membership read before it
     */
    record FurtherLevelFound(
            int number,
            Proofs.Order order,
            LevelTwoRecord record,
            boolean provesOff,
            String method,
            Moment asking,
            Membership membership,
            Instant time)
            implements Event {}

    /**
     * What was read of the power at the end of a fence action.
     *
     * @param accepted the BMC accepted the very order that this is the end of
     * @param span between the first and the last of the readings that all said the same
     * @param at when the last of them was received, by the supervisor's clock. The event comes
     *     later: meanwhile the BMC is asked which machine it controls, and Corosync for its members
     */
    record FenceReading(PowerReading power, boolean accepted, Duration span, Moment at) {}

    /**
     * The peer's BMC was read in passing.
     *
     * @param ofThePeer the BMC is known to control the peer and no other machine
     * @param membership read with it where it reads Off; else not known
     */
    record PeerPowerRead(
            PowerReading reading, boolean ofThePeer, Membership membership, Instant time)
            implements Event {}

    /**
     * The second of the peer's BMCs, IPMI beside Redfish, was read in passing. Nothing is proven by
     * that: it shows whether an Off that a fence reads there may be believed.
     *
     * @param ofThePeer the BMC is known to control the peer and no other machine
     * @param membership read with it where it reads Off; else not known
     */
    record SecondPowerRead(PowerReading reading, boolean ofThePeer, Membership membership)
            implements Event {}

    /**
     * A person vouches for the peer's state, in the situation of this code. Answered by an {@link
     * Action.Acknowledge}.
     */
    record PersonStated(
            long caller,
            PeerProof.Statement statement,
            String incident,
            PowerReading bmc,
            Membership membership,
            String person,
            Instant time)
            implements Event {}

    /**
     * Pacemaker has ordered a fence of the peer, which this node's agent carries out from now on,
     * or which has come to its end.
     */
    record FencingSeen(boolean underWay) implements Event {}

    /**
     * The second level of fencing is about to switch the peer off. Nobody tells when it has ended;
     * an order of this node beside it would be a second fence.
     *
     * @param within how long it may take
     */
    record FenceExpected(Duration within) implements Event {}

    /**
     * Pacemaker was asked for its state.
     *
     * @param mayFence it fences at all, nothing is in maintenance, and etcd is its to manage
     */
    record PacemakerRead(boolean mayFence) implements Event {}

    /** Pacemaker starts etcd here. */
    record StartRequested(boolean installing) implements Event {
        /** After the pair was made. */
        public StartRequested() {
            this(false);
        }
    }

    /** Pacemaker stops etcd here; {@link SupervisorView#stopProgress} tells what becomes of it. */
    record StopRequested(Moment leaveUntil, Moment endUntil) implements Event {}

    /** The learner of this start has its snapshot, and its own announcement does not come. */
    record LearnerUnheard(long generation) implements Event {}

    /** Time has gone by. */
    record Tick() implements Event {}

    // ---- reports ------------------------------------------------------------------------------

    /** The content of this write is on the disk, for good. */
    record Stored(long write) implements Event {}

    /** It is not known to be; a restarted agent may find either content. */
    record NotStored(long write, String why) implements Event {}

    record EtcdOrderEnded(long order, OrderResult result) implements Event {}

    /** What became of an order. Both carry what was seen of etcd afterwards. */
    sealed interface OrderResult {
        ServerObservation seen();

        record Done(ServerObservation seen) implements OrderResult {}

        /**
         * It was not carried out, or not to its end.
         *
         * @param outlivesKill the process is still there after SIGKILL and its time
         * @param begun a start or a stop may have been ordered; false if it failed before that
         */
        record Failed(
                ServerObservation seen,
                String what,
                String why,
                String remedy,
                boolean outlivesKill,
                boolean begun)
                implements OrderResult {}
    }

    /**
     * A step of the leader was tried. {@code done} is false if the same would be the next again.
     */
    record StepEnded(long id, Step step, Optional<Offer> offer, boolean done, String outcome)
            implements Event {}

    record HandOverEnded(long id) implements Event {}

    /** The mark of an incomplete replica was taken away, or not. */
    record MarkEnded(long id, boolean done, String why) implements Event {}

    /** The fence that this node ordered came to its end, or was not begun. */
    record FenceOrderEnded(long id, boolean done, String why) implements Event {}

    /** The mark of the installation was taken away, or not; then it is tried again. */
    record InstallationClosed(boolean done) implements Event {}
}
