package dev.tandem.agent.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class KubeFailoverTest {
    @Test
    void pausesGrowToASecondForAMinuteAndThenToTen() {
        assertThat(KubeFailover.pauseAfter(1)).isEqualTo(Duration.ofMillis(50));
        assertThat(KubeFailover.pauseAfter(2)).isEqualTo(Duration.ofMillis(100));
        assertThat(KubeFailover.pauseAfter(5)).isEqualTo(Duration.ofMillis(800));
        assertThat(KubeFailover.pauseAfter(6)).isEqualTo(Duration.ofSeconds(1));
        assertThat(KubeFailover.pauseAfter(60)).isEqualTo(Duration.ofSeconds(1));
        assertThat(KubeFailover.pauseAfter(61)).isEqualTo(Duration.ofSeconds(10));
        assertThat(KubeFailover.pauseAfter(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(10));
    }
}
