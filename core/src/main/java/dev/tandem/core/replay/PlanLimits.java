package dev.tandem.core.replay;

import dev.tandem.core.decision.Policy;
import dev.tandem.core.supervise.SupervisorPolicy;
import java.time.Duration;

/**
 * What the plan says about a supervisor's policy. A recording holds this and not the policy: the
 * limits that are no one's choice belong to the version that judges.
 *
 * @param missedWithin how long Corosync takes at most to miss a node that lost its power
 * @param splitDelay how long the second fence of a split is held back
 */
public record PlanLimits(Policy decision, Duration missedWithin, Duration splitDelay) {
    /**
     * The same while Corosync takes longer than the plan says, as one that was told a longer token
     * while this agent was down. One that takes less is waited for all the same.
     */
    public PlanLimits notBefore(Duration running) {
        return running.compareTo(missedWithin) > 0
                ? new PlanLimits(decision, running, splitDelay)
                : this;
    }

    /** By this version. */
    public SupervisorPolicy policy() {
        return SupervisorPolicy.of(decision, missedWithin, splitDelay);
    }
}
