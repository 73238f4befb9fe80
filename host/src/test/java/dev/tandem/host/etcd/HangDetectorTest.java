package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Which silence is a hang, and after how long. */
class HangDetectorTest {
    private static final long ETCD = 4711;

    private Duration used = Duration.ofSeconds(3);
    private long nanos = 1;
    private final HangDetector pulse = new HangDetector(_ -> used, () -> nanos);

    @Test
    void aStoppedProcessHangsAtTheSecondUnansweredQuestion() {
        assertThat(question()).isFalse();
        assertThat(question()).isTrue();
    }

    @Test
    void aServerThatMovesIsGivenTime() {
        boolean hangs = false;
        int questions = 0;
        while (!hangs) {
            used = used.plusMillis(10);
            hangs = question();
            questions++;
        }

        assertThat(Duration.ofNanos(nanos))
                .isBetween(Duration.ofSeconds(15), Duration.ofSeconds(18));
        assertThat(questions).isGreaterThan(5);
    }

    @Test
    void anAnswerBetweenBeginsAnew() {
        assertThat(question()).isFalse();
        pulse.answered();
        assertThat(pulse.silent()).isFalse();
        assertThat(question()).isFalse();
    }

    /** From the last answer, with a second until the next look: two questions are within 6 s. */
    @Test
    void twoQuestionsAreOverWithinSixSeconds() {
        Duration transport = Duration.ofMillis(250);
        assertThat(
                        Duration.ofSeconds(1)
                                .plus(HangDetector.ANSWER.plus(transport).multipliedBy(2))
                                .plus(HangDetector.AGAIN))
                .isLessThan(Duration.ofSeconds(6));
    }

    private boolean question() {
        nanos += HangDetector.ANSWER.plus(HangDetector.AGAIN).toNanos();
        return pulse.unanswered(ETCD);
    }
}
