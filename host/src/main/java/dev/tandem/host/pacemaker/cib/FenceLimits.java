package dev.tandem.host.pacemaker.cib;

import dev.tandem.host.plan.ClusterPlan;
import java.time.Duration;

/**
 * How long a fence of the first level may take, from the plan's time of the slowest BMC.
 *
 * @param power from the order to the BMC until Off was read
 * @param shim until tandem-agent has answered; an order that is older is not carried out any more
 * @param pacemaker until Pacemaker gives up and goes on with the second level
 */
record FenceLimits(Duration power, Duration shim, Duration pacemaker) {
    /** After Off: which machine it was, switching on again, and the answer. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(15);

    /** So that the shim ends by itself, and says why. */
    private static final Duration BEFORE_PACEMAKER = Duration.ofSeconds(5);

    /**
     * @param preferred whether it is the fence of the preferred node, which waits in every split.
     *     Which machine it is is asked meanwhile.
     */
    static FenceLimits of(ClusterPlan plan, boolean preferred) {
        Duration power = plan.powerLimit();
        // The longest delay of FenceDelay: of the other node, or of this one without links.
        Duration before =
                preferred
                        ? plan.levelTwoSplitDelay()
                        : plan.levelTwoSplitDelay().plus(plan.levelTwoSplitDelay());
        Duration shim = before.plus(power).plus(AFTERWARDS);
        return new FenceLimits(power, shim, shim.plus(BEFORE_PACEMAKER));
    }
}
