package dev.tandem.core.check;

import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.ServerObservation;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.SupervisorView;
import dev.tandem.core.supervise.VolatileState;
import java.util.List;
import java.util.Optional;

/**
 * A running agent: its supervisor's state, and what the shell around it has under way. In the form
 * that {@link Canonical} gives it, so that agents in the same situation are equal.
 */
final class Agent {
    /**
     * What makes an agent.
     *
     * @param work actions that were begun and have not been reported
     * @param question the question to the peer that has not been answered
     * @param look a look at etcd that has not come back yet, with what it saw
     * @param off when the peer's BMC was read Off by a fence that the supervisor has not been told
     *     of yet
     */
    record Body(
            State state,
            List<Action> work,
            Optional<VolatileState.Question> question,
            Optional<ServerObservation> look,
            Optional<Moment> off) {
        Body with(State next) {
            return new Body(next, work, question, look, off);
        }

        Body withWork(List<Action> next) {
            return new Body(state, next, question, look, off);
        }

        Body withQuestion(Optional<VolatileState.Question> next) {
            return new Body(state, work, next, look, off);
        }

        Body withLook(Optional<ServerObservation> next) {
            return new Body(state, work, question, next, off);
        }

        Body withOff(Optional<Moment> next) {
            return new Body(state, work, question, look, next);
        }
    }

    static final int ASKING = 1;
    static final int LOOKING = 2;
    static final int STORING = 4;
    static final int ORDERING = 8;
    static final int LEADING = 16;
    static final int HANDING_OVER = 32;
    static final int MARKING = 64;

    private final Body body;
    private final int hash;
    private final int work;
    private volatile boolean known;
    private int message;
    private boolean stopped;
    private boolean stopFailed;

    Agent(Body body) {
        this.body = body;
        this.hash = body.hashCode();
        int kinds = body.question().isPresent() ? ASKING : 0;
        kinds |= body.look().isPresent() ? LOOKING : 0;
        for (Action action : body.work()) {
            kinds |= kind(action);
        }
        this.work = kinds;
    }

    private static int kind(Action action) {
        return switch (action) {
            case Action.Store _ -> STORING;
            case Action.Etcd _ -> ORDERING;
            case Action.ChangeMembership _ -> LEADING;
            case Action.HandLeadershipOver _ -> HANDING_OVER;
            case Action.MarkComplete _ -> MARKING;
            default -> 0;
        };
    }

    /** Whether something of this kind is under way. */
    boolean has(int kind) {
        return (work & kind) != 0;
    }

    Body body() {
        return body;
    }

    State state() {
        return body.state();
    }

    VolatileState live() {
        return body.state().live();
    }

    SupervisorView view(MemoizedSupervisors nodes) {
        return new SupervisorView(body.state(), Canonical.NOW, nodes.policy());
    }

    /** The number of what it would say to its peer now. */
    int message(MemoizedSupervisors nodes) {
        look(nodes);
        return message;
    }

    /** Whether Pacemaker would be told now that etcd has stopped. */
    boolean stopped(MemoizedSupervisors nodes) {
        look(nodes);
        return stopped;
    }

    boolean stopFailed(MemoizedSupervisors nodes) {
        look(nodes);
        return stopFailed;
    }

    private void look(MemoizedSupervisors nodes) {
        if (known) {
            return;
        }
        SupervisorView view = view(nodes);
        message = nodes.messages.number(view.message());
        stopped = view.stopProgress() instanceof SupervisorView.StopProgress.Stopped;
        stopFailed = view.stopProgress() instanceof SupervisorView.StopProgress.Failed;
        known = true;
    }

    /** The work of this kind that is under way; at most one of each kind is. */
    <A extends Action> Optional<A> work(Class<A> kind) {
        for (Action action : body.work()) {
            if (kind.isInstance(action)) {
                return Optional.of(kind.cast(action));
            }
        }
        return Optional.empty();
    }

    @Override
    public boolean equals(Object other) {
        return other == this
                || (other instanceof Agent agent && agent.hash == hash && agent.body.equals(body));
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
