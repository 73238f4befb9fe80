package dev.tandem.core.replay;

import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.DurableState;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Which events are recorded. A pair on which nothing happens has some events every second, and none
 * of them says anything: they are held for a short while and forgotten. Where something follows
 * from one, those before it are recorded, itself, and many after it, in which another version may
 * see more than this one did.
 *
 * <p>What is held costs nothing but its references, since states and events are values.
 */
public final class FlightRecorder {
    /** Events from one state that is recorded to the next; what was lost is made up for then. */
    static final int SPAN = 64;

    /** About a minute of an incident. */
    static final int AFTERWARDS = 256;

    private final PlanLimits limits;
    private final List<Recorded> held = new ArrayList<>();
    private long number;
    private int inSpan;
    private int left;

    public FlightRecorder(PlanLimits limits) {
        this.limits = limits;
    }

    /**
     * An event was taken in.
     *
     * @return what is to be recorded now, in this order
     */
    public List<Recorded> took(
            State before, Event event, Moment now, Supervisor.Outcome outcome, Instant time) {
        if (inSpan == 0) {
            held.clear();
            held.add(new Recorded.Began(++number, time, limits, before));
        }
        held.add(new Recorded.Took(++number, time, now, event, Response.of(outcome.actions())));
        inSpan = (inSpan + 1) % SPAN;
        if (isRoutine(outcome, before.stored())) {
            left = Math.max(0, left - 1);
        } else {
            left = AFTERWARDS;
        }
        if (left == 0) {
            return List.of();
        }
        List<Recorded> due = List.copyOf(held);
        held.clear();
        return due;
    }

    /** What was to be recorded last is lost: the next begins with a state. */
    public void lost() {
        inSpan = 0;
    }

    private static boolean isRoutine(Supervisor.Outcome outcome, DurableState stored) {
        return outcome.actions().stream()
                .allMatch(action ->
                        switch (action) {
                            case Action.AnswerPeer _, Action.TellPeer _, Action.LookAtEtcd _ ->
                                    true;
                            case Action.Store store ->
                                    store.content().equalsIgnoringIndexes(stored);
                            case Action.Etcd _,
                                    Action.ChangeMembership _,
                                    Action.HandLeadershipOver _,
                                    Action.MarkComplete _,
                                    Action.OrderFence _,
                                    Action.CloseInstallation _,
                                    Action.Acknowledge _,
                                    Action.DeclarePeerOff _,
                                    Action.NoteBmc _,
                                    Action.Journal _ ->
                                    false;
                        });
    }
}
