package dev.tandem.core.supervise;

import dev.tandem.core.BootId;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Intent;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerConversation;
import dev.tandem.core.peer.PeerMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a supervisor knows beside what is on its disk. It ends with the agent.
 *
 * @param membership as Corosync told it last; not known until it was asked once, and until then
 *     nothing is decided that needs it
 * @param membershipAt when Corosync told it, or when the agent began; for people only, since its
 *     silence says nothing about the peer
 * @param forgot what this node told its peer in this boot is lost; what the peer says is a greeting
 *     and no more until it has answered this node's facts of now
 * @param stopping Pacemaker has ordered a stop that is not over
 * @param pending what this node is about to do or waits for, for people
 * @param trouble what could not be done, and is tried again
 * @param offer what this node offers its peer
 * @param seatRequest the last one since this node voted
 * @param installing the mark of a running installation is there
 */
public record VolatileState(
        Server server,
        Heard heard,
        Membership membership,
        Moment membershipAt,
        boolean forgot,
        Power power,
        Fencing fencing,
        RestartBackoff restarts,
        Writes writes,
        Work work,
        Optional<Stopping> stopping,
        Optional<Pending> pending,
        Optional<String> trouble,
        Offer offer,
        Optional<SeatRequest> seatRequest,
        boolean installing) {

    /**
     * etcd of this node.
     *
     * @param lookedAt when it was seen last
     * @param served it served when it was seen last
     * @param downSince since when it does not
     * @param leaderlessSince since when it runs without a leader
     * @param startedAt when it was last started here; of a start from before this agent, when the
     *     agent began
     * @param joinedWith the offer that the running server was started for
     * @param unfit it neither serves nor can be ended
     * @param missing the log of this node lacked entries that the peer had told as committed, up to
     *     this index, when it was last read from the disk; 0 if it lacked none
     */
    public record Server(
            ServerObservation observation,
            Moment lookedAt,
            boolean served,
            Moment downSince,
            Optional<Moment> leaderlessSince,
            Moment startedAt,
            Offer joinedWith,
            boolean unfit,
            long missing) {}

    /**
     * What the peer said.
     *
     * @param at when it gave any sign of life by its own words
     * @param factsAt when it last told facts of itself
     * @param leaderlessSince since when it says, without a break, that its server has no leader
     * @param contradicts since when it says so, without a break, while this node's server says that
     *     there is one
     * @param missedSince Corosync has missed the peer since it was heard
     * @param asker the newest question of the peer, so that none that was overtaken is taken in
     * @param aliveAt the peer was alive at this moment or later, by its youngest sign of life: an
     *     Off that was read before is refuted. When the agent began, if there was none since; no
     *     Off that it is told of was read before that
     */
    public record Heard(
            PeerConversation conversation,
            Optional<Moment> at,
            Optional<Moment> factsAt,
            Optional<Moment> leaderlessSince,
            Optional<Span> contradicts,
            boolean missedSince,
            Optional<Asker> asker,
            Moment aliveAt) {}

    /** Something that was said or read again and again, without anything else between. */
    public record Span(Moment first, Moment last) {}

    public record Asker(BootId boot, long number) {}

    /**
     * A BMC that reads Off while its node is in the cluster tells of a moment that is gone, or of
     * another machine. That it reads Off is no proof then, until it has read On once.
     *
     * @param since when it began to read Off while the peer is in the membership
     * @param last when it last did
     * @param tooLong it has done so for too long: the Off is false
     */
    public record OffWhilePresent(Optional<Moment> since, Optional<Moment> last, boolean tooLong) {
        static OffWhilePresent since(boolean earlier) {
            return new OffWhilePresent(Optional.empty(), Optional.empty(), earlier);
        }

        /** Corosync has missed the peer: what was read before is of a time that is over. */
        OffWhilePresent peerIsGone() {
            return since(tooLong);
        }

        /**
         * @param membership read with the power
         * @param limit longer than Corosync takes to miss a node that lost its power
         * @param gap the longest time between two readings that belong together
         */
        OffWhilePresent and(
                PowerReading reading,
                Membership membership,
                Moment now,
                Duration limit,
                Duration gap) {
            return switch (reading) {
                case ON -> since(false);
                case OFF -> {
                    if (!membership.known() || !membership.peerPresent()) {
                        yield since(tooLong);
                    }
                    boolean goesOn =
                            last.filter(before -> !now.isLaterThan(gap, before)).isPresent();
                    Moment begun = since.filter(_ -> goesOn).orElse(now);
                    yield new OffWhilePresent(
                            Optional.of(begun),
                            Optional.of(now),
                            tooLong || now.since(begun).compareTo(limit) >= 0);
                }
                // Neither for it nor against it.
                case UNKNOWN -> this;
            };
        }
    }

    /**
     * What the peer's BMC reads, and of when the newest proof is.
     *
     * @param reading the last one
     * @param first what is wrong with what its BMC reads
     * @param second the same of the second of its BMCs
     * @param heldOff the readings of Off without anything else between, from the peer's own BMC
     * @param readAt the time of day of the last reading, for people
     * @param provenAt of when the newest proof is: when Off was read, or a person's statement was
     *     taken in; an answer to a later question refutes it
     * @param missedSinceProof Corosync has missed the peer since
     * @param levelTwo of the last record of each level that left one which does not prove the peer
     *     off by itself, in the order of their names
     */
    public record Power(
            PowerReading reading,
            OffWhilePresent first,
            OffWhilePresent second,
            Optional<Span> heldOff,
            Instant readAt,
            Moment provenAt,
            boolean missedSinceProof,
            List<LevelTwoLooks> levelTwo) {
        public Power {
            levelTwo = List.copyOf(levelTwo);
        }
    }

    /**
     * What this agent read itself after an order of a level of fencing that does not pass through
     * it, since its record does not tell enough.
     *
     * @param level whose record it is; each level leaves its own
     * @param ordered which order, by its time since boot
     * @param offSince since when it reads Off and nothing else
     */
    public record LevelTwoLooks(String level, long ordered, Optional<Moment> offSince) {}

    /**
     * What is known of fences of the peer, for a node that has to order one itself.
     *
     * @param allowed Pacemaker was asked, fences at all, and nothing is in maintenance
     * @param underWay one is being carried out by this node's agent
     * @param notBefore when this node may order one; put off again and again while it has no reason
     *     to
     * @param pause until the next, after one that leaves this node waiting
     * @param order the one of this node that has not been reported
     * @param provedNothing the last one of this node was carried out and has proven nothing so far
     * @param presentSince since when the peer has been in the membership, as far as this agent
     *     knows
     */
    public record Fencing(
            boolean allowed,
            boolean underWay,
            Moment notBefore,
            Duration pause,
            Optional<Long> order,
            boolean provedNothing,
            Optional<Moment> presentSince) {}

    /**
     * What is to be on the disk.
     *
     * @param wanted the content as it should be; equal to the stored one where nothing is to do.
     *     Decisions are taken on this one, and what they lead to waits until it is stored
     * @param inFlight the write that was ordered and has not been reported
     * @param failures in a row
     * @param notBefore of the next write
     * @param at when the last write was ordered
     * @param trouble why the last one failed
     * @param waiting callers who are to be told when the content of now is stored, or is not
     */
    public record Writes(
            DurableState wanted,
            Optional<Write> inFlight,
            int failures,
            Moment notBefore,
            Moment at,
            Optional<String> trouble,
            List<Waiting> waiting) {
        public Writes {
            waiting = List.copyOf(waiting);
        }
    }

    public record Write(long id, DurableState content, Moment since) {}

    /**
     * Somebody waits for a write.
     *
     * @param from the first write that holds what the caller waits for
     */
    public record Waiting(long caller, long from) {}

    /**
     * What was ordered and has not been reported, at most one of each kind.
     *
     * @param nextId of the next order, step or write
     * @param step a step of the leader
     * @param stepNotBefore of the next one
     * @param handOver leadership is being handed to the peer
     * @param mark the replica is being marked as complete
     * @param takingOver from the decision to take over until the forced server is seen; meanwhile
     *     nothing is told of the replica that is given up
     * @param restarting the server was ended to be started again, and has not died
     * @param joining the offer whose seat is stored, or is being stored, and on which no learner
     *     was started yet
     */
    public record Work(
            long nextId,
            Optional<Ordered> etcd,
            Optional<Long> step,
            Moment stepNotBefore,
            Optional<Long> handOver,
            Optional<Long> mark,
            boolean takingOver,
            boolean restarting,
            Offer joining) {}

    public record Ordered(long id, EtcdOrder order, Moment since) {}

    /**
     * A stop that Pacemaker has ordered.
     *
     * @param leaveUntil how long the peer is waited for
     * @param endUntil when the process has to be gone
     * @param failed why it could not be ended
     */
    public record Stopping(Moment leaveUntil, Moment endUntil, Optional<String> failed) {}

    /**
     * The leader was asked for another seat.
     *
     * @param pause until it may be asked again
     */
    public record SeatRequest(Moment at, Duration pause) {}

    /** What the node is about to do, or waits for. */
    public record Pending(Decision decision, Intent intent, String sentence, Moment since) {}

    /**
     * What was sent to the peer, from which facts, how often it had been heard by then, and when.
     */
    public record Question(NodeFacts mine, PeerMessage message, long count, Moment asked) {}
}
