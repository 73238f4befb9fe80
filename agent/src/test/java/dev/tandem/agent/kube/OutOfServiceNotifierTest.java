package dev.tandem.agent.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.Failure;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutOfServiceNotifierTest {
    @Test
    void pausesGrowToASecondForAMinuteAndThenToTen() {
        assertThat(OutOfServiceNotifier.pauseAfter(1)).isEqualTo(Duration.ofMillis(50));
        assertThat(OutOfServiceNotifier.pauseAfter(2)).isEqualTo(Duration.ofMillis(100));
        assertThat(OutOfServiceNotifier.pauseAfter(5)).isEqualTo(Duration.ofMillis(800));
        assertThat(OutOfServiceNotifier.pauseAfter(6)).isEqualTo(Duration.ofSeconds(1));
        assertThat(OutOfServiceNotifier.pauseAfter(60)).isEqualTo(Duration.ofSeconds(1));
        assertThat(OutOfServiceNotifier.pauseAfter(61)).isEqualTo(Duration.ofSeconds(10));
        assertThat(OutOfServiceNotifier.pauseAfter(Integer.MAX_VALUE))
                .isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void aReasonForPeopleHasNoNameOfAClass() {
        assertThat(OutOfServiceNotifier.reason(new ConnectException("refused")))
                .isEqualTo("it does not answer");
        assertThat(OutOfServiceNotifier.reason(new IOException("503 not yet")))
                .isEqualTo("503 not yet");
        assertThat(OutOfServiceNotifier.reason(new IOException(new ConnectException("refused"))))
                .isEqualTo("it does not answer");
        assertThat(OutOfServiceNotifier.reason(new IOException(new IllegalStateException("odd"))))
                .isEqualTo("odd");
        assertThat(OutOfServiceNotifier.reason(new IOException(new IllegalStateException())))
                .isEqualTo("its answer could not be read");
    }

    @Test
    void onlyAFaultOfOursGoesToTheLog() {
        assertThat(OutOfServiceNotifier.isUnexpected(new IOException("503 not yet"))).isFalse();
        assertThat(OutOfServiceNotifier.isUnexpected(new Failure("what", "why", "fix"))).isFalse();
        assertThat(OutOfServiceNotifier.isUnexpected(new IllegalStateException("odd"))).isTrue();
        assertThat(
                        OutOfServiceNotifier.isUnexpected(
                                new IOException(new IllegalStateException("odd"))))
                .isTrue();
    }
}
