package dev.tandem.agent;

import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.supervise.MembershipChanges;
import dev.tandem.agent.thread.Actor;
import dev.tandem.agent.thread.Nudge;
import dev.tandem.core.decision.LeaderDecision.Step;
import java.util.function.BiConsumer;

/**
 * Has done elsewhere what the supervisor must not wait for.
 *
 * @param tried takes what came of a step of the leader
 */
record SupervisorErrands(
        Nudge etcd,
        Nudge peer,
        Actor actor,
        MembershipChanges leaderSteps,
        BiConsumer<Step, MembershipChanges.Led> tried)
        implements EtcdSupervisor.Errands {
    @Override
    public void tellPeer() {
        peer.give();
    }

    @Override
    public void look() {
        etcd.give();
    }

    @Override
    public void lead(Step step) {
        Thread.ofVirtual()
                .name("lead")
                .start(() -> {
                    MembershipChanges.Led led = carryOut(step);
                    etcd.give();
                    tried.accept(step, led);
                });
    }

    private MembershipChanges.Led carryOut(Step step) {
        try {
            return leaderSteps.carryOut(step);
        } catch (RuntimeException e) {
            return MembershipChanges.Led.failed(String.valueOf(e));
        }
    }

    @Override
    public void changed() {
        actor.ring();
    }
}
