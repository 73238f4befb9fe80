package dev.tandem.agent.ocf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.FenceDelay;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SplitDelaysTest {
    private static final Duration SPLIT = Duration.ofSeconds(5);
    private static final Duration LATER = Duration.ofSeconds(15);

    private Optional<Duration> silence = Optional.empty();
    private boolean deniesAtOnce;
    private boolean preferred;
    private FenceDelay.Needs needs = FenceDelay.Needs.AS_PLANNED;
    private Duration clock = Duration.ofHours(1);

    private final SplitDelays delays =
            new SplitDelays(
                    () ->
                            new SplitDelays.Limits(
                                    preferred,
                                    new FenceDelay.Times(SPLIT, LATER),
                                    Duration.ofSeconds(8)),
                    () -> List.of(FenceDelay.Link.UP),
                    () -> silence,
                    () -> deniesAtOnce,
                    () -> needs,
                    () -> clock.toNanos());

    private void passes(Duration time) {
        clock = clock.plus(time);
        silence = silence.map(before -> before.plus(time));
    }

    private Duration delay() {
        return delays.now(SPLIT).time();
    }

    @Test
    void anAgentThatWasHeardJustBeforeFencesByTheFirstLevel() {
        silence = Optional.of(Duration.ofSeconds(5));

        assertThat(delay()).isEqualTo(SPLIT);
    }

    @Test
    void anAgentThatWasSilentBeforeTheSplitOrNeverHeardFencesByTheSecond() {
        assertThat(delay()).isEqualTo(SPLIT.plus(LATER));

        silence = Optional.of(Duration.ofSeconds(9));
        assertThat(delay()).isEqualTo(SPLIT.plus(LATER));
    }

    /** It needs 8 s before the power goes, and this node would have fenced after 5 s. */
    @Test
    void aNodeWhoseBmcIsSlowForItsPeerWaitsForThat() {
        silence = Optional.of(Duration.ofSeconds(5));
        needs = new FenceDelay.Needs(Duration.ofSeconds(3), Duration.ofSeconds(8));

        assertThat(delay()).isEqualTo(Duration.ofSeconds(10));
        assertThat(delays.now(Duration.ZERO).time()).as("the preferred node").isZero();
    }

    /** Of a BMC with IPMI beside a Redfish service that denies the password. */
    @Test
    void anAgentWhoseFirstLevelFailsAtOnceFencesByTheSecondToo() {
        silence = Optional.of(Duration.ofSeconds(5));
        deniesAtOnce = true;

        assertThat(delay()).isEqualTo(SPLIT.plus(LATER));
    }

    /** Pacemaker orders again while a fence fails; the peer has not lost its agent by that. */
    @Test
    void aLaterOrderFindsWhatTheFirstOneFound() {
        silence = Optional.of(Duration.ofSeconds(5));
        assertThat(delay()).isEqualTo(SPLIT);

        passes(Duration.ofMinutes(2));
        assertThat(delay()).isEqualTo(SPLIT);
    }

    @Test
    void aNewLossIsJudgedByItself() {
        silence = Optional.of(Duration.ofSeconds(5));
        assertThat(delay()).isEqualTo(SPLIT);

        passes(Duration.ofMinutes(2));
        silence = Optional.of(Duration.ofSeconds(50));
        assertThat(delay()).as("heard in between").isEqualTo(SPLIT.plus(LATER));
    }

    /** For the prediction; what it finds is not what the next order is to find. */
    @Test
    void whatItWouldBeIsAsItThenIs() {
        silence = Optional.of(Duration.ofSeconds(1));
        needs = new FenceDelay.Needs(Duration.ofSeconds(3), Duration.ofSeconds(8));
        assertThat(delays.ifThePeerWereLost())
                .as("the peer's own figure")
                .isEqualTo(delays.now(SPLIT));

        deniesAtOnce = true;
        assertThat(delays.ifThePeerWereLost().time()).isEqualTo(SPLIT.plus(LATER));
        deniesAtOnce = false;
        preferred = true;
        assertThat(delays.ifThePeerWereLost()).isEqualTo(delays.now(Duration.ZERO));
    }

    /** The agent of the peer dies, and half a minute later the peer does. */
    @Test
    void aPredictionDoesNotJudgeForAnOrder() {
        silence = Optional.of(Duration.ofSeconds(2));
        assertThat(delays.ifThePeerWereLost().time()).isEqualTo(SPLIT);

        passes(Duration.ofSeconds(30));
        assertThat(delay()).isEqualTo(SPLIT.plus(LATER));
    }
}
