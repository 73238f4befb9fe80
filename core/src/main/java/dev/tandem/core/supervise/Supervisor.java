package dev.tandem.core.supervise;

import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerConversation;
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
 *   <li><b>Told is what is stored</b>: to the peer, to Pacemaker, to a person.
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
     * At the start of an agent, in a boot that may have seen other agents before.
     *
     * @param disk as it was read, {@link DurableState#in} this boot
     * @param first what is seen of etcd before anything is done about it
     * @param deceives the peer's BMC was last known to read Off while the peer was there
     * @param installing the mark of a running installation is there
     */
    public static Outcome begin(
            State.Node node,
            DurableState disk,
            ServerObservation first,
            boolean deceives,
            boolean installing,
            Moment now) {
        long firstWrite = 1;
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
                                0),
                        new VolatileState.Heard(
                                new PeerConversation(disk.peer(), 0, disk.peerKnownNotAhead()),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                true,
                                Optional.empty()),
                        Membership.UNKNOWN,
                        new VolatileState.Power(
                                PowerReading.UNKNOWN,
                                Optional.empty(),
                                deceives,
                                Optional.empty(),
                                Instant.EPOCH,
                                now,
                                // Proofs from before a restart of the agent: if the peer is there
                                // now, it has come back.
                                true),
                        RestartBackoff.none(now),
                        new VolatileState.Writes(
                                disk,
                                Optional.of(new VolatileState.Write(firstWrite, disk, now)),
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
                                false),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Offer.none(),
                        installing);
        // Nothing has changed; but whether this disk stores anything is better known before that.
        return new Outcome(
                new State(node, disk, live), List.of(new Action.Store(firstWrite, disk)));
    }

    public static Outcome on(State state, Event event, Moment now, SupervisorPolicy policy) {
        return new Outcome(state, List.of());
    }
}
