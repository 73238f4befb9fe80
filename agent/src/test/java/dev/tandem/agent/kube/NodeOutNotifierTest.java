package dev.tandem.agent.kube;

import static org.assertj.core.api.Assertions.assertThat;

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
}
