package dev.tandem.agent.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RestartBackoffTest {
    private long now = Long.MAX_VALUE - 1;
    private final RestartBackoff attempts = new RestartBackoff(() -> now);

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void aServerThatServedAgainHasDiedLatelyButNotInARow() {
        attempts.died();
        attempts.died();
        attempts.serves();
        attempts.died();

        assertThat(attempts.deathsInARow()).isEqualTo(1);
        assertThat(attempts.deathsLately()).isEqualTo(3);
    }

    @Test
    void deathsOfLongAgoDoNotCount() {
        attempts.died();
        pass(Duration.ofSeconds(90));
        attempts.died();
        pass(Duration.ofSeconds(30));
        assertThat(attempts.deathsLately()).isEqualTo(2);

        pass(Duration.ofMillis(1));
        assertThat(attempts.deathsLately()).isEqualTo(1);
    }

    @Test
    void whoStoodDownBeginsAnew() {
        attempts.died();
        attempts.forgetDeaths();

        assertThat(attempts.deathsInARow()).isZero();
        assertThat(attempts.deathsLately()).isZero();
    }

    @Test
    void theFirstDeathIsAnsweredAtOnceAndTheNextOnesLaterAndLater() {
        attempts.died();
        assertThat(attempts.due()).isTrue();

        attempts.died();
        assertWaits(Duration.ofSeconds(1));
        attempts.died();
        assertWaits(Duration.ofSeconds(2));
        for (int more = 0; more < 5; more++) {
            attempts.died();
        }
        assertWaits(Duration.ofSeconds(8));

        attempts.died();
        attempts.serves();
        assertThat(attempts.due()).isTrue();
    }

    @Test
    void aFailureIsNeverTriedAgainAtOnceUnlessSomebodyAsks() {
        attempts.failed();
        assertWaits(Duration.ofSeconds(1));
        attempts.failed();
        assertWaits(Duration.ofSeconds(2));

        attempts.failed();
        attempts.atOnce();
        assertThat(attempts.due()).isTrue();
    }

    private void assertWaits(Duration pause) {
        pass(pause.minusNanos(1));
        assertThat(attempts.due()).isFalse();
        pass(Duration.ofNanos(1));
        assertThat(attempts.due()).isTrue();
    }
}
