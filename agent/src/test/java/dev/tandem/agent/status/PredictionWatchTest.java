package dev.tandem.agent.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.Policy;
import dev.tandem.core.replay.PlanLimits;
import dev.tandem.host.plan.ClusterPlan;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** How long a peer that was switched off may be in the membership. */
class PredictionWatchTest {
    private static final PlanLimits PLANNED =
            new PlanLimits(
                    Policy.PAIR, ClusterPlan.Timing.DEFAULT.missedWithin(), Duration.ofSeconds(6));

    /** An Off that is true would be held for false otherwise, and for good. */
    @Test
    void theCorosyncThatRunsIsWaitedForAsLongAsItTakes() {
        Queue<Optional<Duration>> tells =
                new ArrayDeque<>(
                        List.of(
                                Optional.empty(),
                                Optional.of(Duration.ofSeconds(22)),
                                Optional.empty(),
                                Optional.of(Duration.ofMillis(2200))));
        PredictionWatch watch = new PredictionWatch(tells::remove, () -> 0);

        assertThat(missedWithin(watch)).isEqualTo(Duration.ofSeconds(10));
        watch.look();
        assertThat(missedWithin(watch)).isEqualTo(Duration.ofSeconds(10));
        watch.look();
        assertThat(missedWithin(watch)).isEqualTo(Duration.ofSeconds(25));
        watch.look();
        assertThat(missedWithin(watch))
                .as("Corosync did not answer")
                .isEqualTo(Duration.ofSeconds(25));
        watch.look();
        assertThat(missedWithin(watch)).isEqualTo(Duration.ofSeconds(10));
    }

    private static Duration missedWithin(PredictionWatch watch) {
        return watch.lastMissedAfter()
                .map(ClusterPlan.Timing::missedWithin)
                .map(PLANNED::notBefore)
                .orElse(PLANNED)
                .missedWithin();
    }

    @Test
    void aCorosyncThatIsQuickerThanThePlanShortensNothing() {
        assertThat(PLANNED.notBefore(Duration.ofSeconds(3))).isEqualTo(PLANNED);
    }
}
