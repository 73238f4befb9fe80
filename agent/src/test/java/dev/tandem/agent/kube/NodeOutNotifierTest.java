package dev.tandem.agent.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.Failure;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class NodeOutNotifierTest {
    @Test
    void pausesGrowToASecondForAMinuteAndThenToTen() {
        assertThat(NodeOutNotifier.pauseAfter(1)).isEqualTo(Duration.ofMillis(50));
        assertThat(NodeOutNotifier.pauseAfter(2)).isEqualTo(Duration.ofMillis(100));
        assertThat(NodeOutNotifier.pauseAfter(5)).isEqualTo(Duration.ofMillis(800));
        assertThat(NodeOutNotifier.pauseAfter(6)).isEqualTo(Duration.ofSeconds(1));
        assertThat(NodeOutNotifier.pauseAfter(60)).isEqualTo(Duration.ofSeconds(1));
        assertThat(NodeOutNotifier.pauseAfter(61)).isEqualTo(Duration.ofSeconds(10));
        assertThat(NodeOutNotifier.pauseAfter(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void aReasonForPeopleHasNoNameOfAClass() {
        assertThat(NodeOutNotifier.reason(new ConnectException("refused")))
                .isEqualTo("it does not answer");
        assertThat(NodeOutNotifier.reason(new IOException("503 not yet"))).isEqualTo("503 not yet");
        assertThat(NodeOutNotifier.reason(new IOException(new ConnectException("refused"))))
                .isEqualTo("it does not answer");
        assertThat(NodeOutNotifier.reason(new IOException(new IllegalStateException("odd"))))
                .isEqualTo("odd");
        assertThat(NodeOutNotifier.reason(new IOException(new IllegalStateException())))
                .isEqualTo("its answer could not be read");
    }

    @Test
    void onlyAFaultOfOursGoesToTheLog() {
        assertThat(NodeOutNotifier.isUnexpected(new IOException("503 not yet"))).isFalse();
        assertThat(NodeOutNotifier.isUnexpected(new Failure("what", "why", "fix"))).isFalse();
        assertThat(NodeOutNotifier.isUnexpected(new IllegalStateException("odd"))).isTrue();
        assertThat(NodeOutNotifier.isUnexpected(new IOException(new IllegalStateException("odd"))))
                .isTrue();
    }
}
