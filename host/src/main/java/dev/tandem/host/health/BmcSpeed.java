package dev.tandem.host.health;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Whether the BMC of a node is as quick as the plan says. It fences as well as another; but in a
 * split each node waits for the other by that figure.
 */
public final class BmcSpeed {
    /** Which machine it is may have to be asked before the order, or a session be opened. */
    private static final int ANSWERS = 2;

    private BmcSpeed() {}

    /**
     * A warning where it is not.
     *
     * @param planned for the slowest BMC
     * @param slowest with which a plan can be made
     * @param switchedOff the longest time from an order until the node read Off; empty if it was
     *     not switched off yet
     * @param answer how long nearly every answer takes; empty if there were too few
     */
    public static Impediments of(
            String node,
            Duration planned,
            Duration slowest,
            Optional<Duration> switchedOff,
            Optional<Duration> answer) {
        Duration needs = needs(switchedOff, answer);
        if (needs.compareTo(planned) <= 0) {
            return new Impediments(List.of(), List.of());
        }
        long wanted = wholeSeconds(needs);
        return new Impediments(
                List.of(),
                List.of(
                        new Impediment(
                                Cause.BMC_SLOWER_THAN_PLAN,
                                node,
                                Optional.empty(),
                                "the BMC of %s is slower than the plan says (%s; bmcOff: %s): if the nodes lose each other, both could be switched off"
                                        .formatted(
                                                node,
                                                measured(switchedOff, answer),
                                                seconds(planned)),
                                wanted <= slowest.toSeconds()
                                        ? "set bmcOff: %ds in the plan, then: tandem cluster apply PLAN.yaml"
                                                .formatted(wanted)
                                        : "restart this BMC or update its firmware: no plan allows"
                                                + " for"
                                                + " more than bmcOff: %ds"
                                                        .formatted(slowest.toSeconds()),
                                Optional.empty())));
    }

    private static Duration needs(Optional<Duration> switchedOff, Optional<Duration> answer) {
        return answer.orElse(Duration.ZERO)
                .multipliedBy(ANSWERS)
                .plus(switchedOff.orElse(Duration.ZERO));
    }

    private static long wholeSeconds(Duration time) {
        return time.plusMillis(999).toSeconds();
    }

    /**
     * The least {@code bmcOff} that is as long as what was measured takes, in seconds.
     *
     * @param switchedOff the longest time from an order until the node read Off
     * @param answer how long nearly every answer takes; empty if there were too few
     */
    public static long fittingSeconds(Duration switchedOff, Optional<Duration> answer) {
        return wholeSeconds(needs(Optional.of(switchedOff), answer));
    }

    private static String measured(Optional<Duration> switchedOff, Optional<Duration> answer) {
        String answers = answer.map(time -> "an answer takes " + seconds(time)).orElse("");
        return switchedOff
                .map(time ->
                        "switching off took %s%s"
                                .formatted(seconds(time), answers.isEmpty() ? "" : ", " + answers))
                .orElse(answers);
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
    }
}
