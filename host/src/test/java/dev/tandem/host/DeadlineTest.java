package dev.tandem.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void anEndThatLiesAheadLeavesTime() {
        Deadline end = Deadline.in(HOUR);

        assertThat(end.passed()).isFalse();
        assertThat(end.left()).isPositive().isLessThanOrEqualTo(HOUR);
        assertThat(end.leavesMoreThan(Duration.ofMinutes(30))).isTrue();
        assertThat(end.leavesMoreThan(HOUR)).isFalse();
    }

    @Test
    void anEndThatLiesBehindLeavesNoneAndNobodyPausesForIt() throws InterruptedException {
        Deadline end = Deadline.in(Duration.ofSeconds(-1));

        assertThat(end.passed()).isTrue();
        assertThat(end.left()).isNegative();
        end.pause(HOUR);
    }

    @Test
    void aPauseEndsWithTheWait() throws InterruptedException {
        Deadline end = Deadline.in(Duration.ofMillis(20));

        end.pause(HOUR);

        assertThat(end.passed()).isTrue();
    }

    @Test
    void anEndBeyondTheLargestNumberOfTheClockStillLiesAhead() {
        Deadline end = new Deadline(System.nanoTime() + Long.MAX_VALUE);

        assertThat(end.passed()).isFalse();
    }
}
