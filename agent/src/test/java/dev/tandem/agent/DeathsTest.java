package dev.tandem.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeathsTest {
    private long now = Long.MAX_VALUE - 1;
    private final Deaths deaths = new Deaths(() -> now);

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void aServerThatServedAgainHasDiedLatelyButNotInARow() {
        deaths.add();
        deaths.add();
        deaths.serves();
        deaths.add();

        assertThat(deaths.inARow()).isEqualTo(1);
        assertThat(deaths.lately()).isEqualTo(3);
    }

    @Test
    void deathsOfLongAgoDoNotCount() {
        deaths.add();
        pass(Duration.ofSeconds(90));
        deaths.add();
        pass(Duration.ofSeconds(30));
        assertThat(deaths.lately()).isEqualTo(2);

        pass(Duration.ofMillis(1));
        assertThat(deaths.lately()).isEqualTo(1);
    }

    @Test
    void whoStoodDownBeginsAnew() {
        deaths.add();
        deaths.forget();

        assertThat(deaths.inARow()).isZero();
        assertThat(deaths.lately()).isZero();
    }
}
