package dev.tandem.core.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RestartBackoffTest {
    private static final SupervisorPolicy POLICY = SupervisorPolicy.PAIR;

    private Moment now = new Moment(Long.MAX_VALUE - 1);
    private RestartBackoff attempts = RestartBackoff.none(now);

    private void pass(Duration time) {
        now = now.plus(time);
    }

    private void died() {
        attempts = attempts.died(now, POLICY);
    }

    private void failed() {
        attempts = attempts.failed(now, POLICY);
    }

    @Test
    void aServerThatServedAgainHasDiedLatelyButNotInARow() {
        died();
        died();
        attempts = attempts.serves(now);
        died();

        assertThat(attempts.deathsInARow()).isEqualTo(1);
        assertThat(attempts.deathsLately(now, POLICY)).isEqualTo(3);
    }

    @Test
    void deathsOfLongAgoDoNotCount() {
        died();
        pass(Duration.ofSeconds(90));
        died();
        pass(Duration.ofSeconds(30));
        assertThat(attempts.deathsLately(now, POLICY)).isEqualTo(2);

        pass(Duration.ofMillis(1));
        assertThat(attempts.deathsLately(now, POLICY)).isEqualTo(1);
    }

    @Test
    void whoStoodDownBeginsAnew() {
        died();
        attempts = attempts.forgetDeaths();

        assertThat(attempts.deathsInARow()).isZero();
        assertThat(attempts.deathsLately(now, POLICY)).isZero();
    }

    @Test
    void theFirstDeathIsAnsweredAtOnceAndTheNextOnesLaterAndLater() {
        died();
        assertThat(attempts.mayStart(now)).isTrue();

        died();
        assertWaits(Duration.ofSeconds(1));
        died();
        assertWaits(Duration.ofSeconds(2));
        for (int more = 0; more < 5; more++) {
            died();
        }
        assertWaits(Duration.ofSeconds(8));

        died();
        attempts = attempts.serves(now);
        assertThat(attempts.mayStart(now)).isTrue();
    }

    @Test
    void aFailureIsNeverTriedAgainAtOnceUnlessSomebodyAsks() {
        failed();
        assertThat(attempts.mayTryAgain(now)).isFalse();
        assertWaits(Duration.ofSeconds(1));
        assertThat(attempts.mayTryAgain(now)).isTrue();
        failed();
        assertWaits(Duration.ofSeconds(2));

        failed();
        attempts = attempts.atOnce(now);
        assertThat(attempts.mayStart(now)).isTrue();
        assertThat(attempts.mayTryAgain(now)).isTrue();
    }

    private void assertWaits(Duration pause) {
        pass(pause.minusNanos(1));
        assertThat(attempts.mayStart(now)).isFalse();
        pass(Duration.ofNanos(1));
        assertThat(attempts.mayStart(now)).isTrue();
    }
}
