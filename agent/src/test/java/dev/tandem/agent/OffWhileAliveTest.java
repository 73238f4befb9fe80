package dev.tandem.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.PowerReading;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When a BMC that reads Off is not believed. */
class OffWhileAliveTest {
    private long now = Duration.ofHours(1).toNanos();
    private final OffWhileAlive watch = new OffWhileAlive(() -> now);

    private boolean read(PowerReading reading, boolean there, int secondsLater) {
        now += Duration.ofSeconds(secondsLater).toNanos();
        watch.read(reading, () -> there);
        return watch.found();
    }

    @Test
    void aNodeThatHasJustLostItsPowerIsInTheClusterForAMoment() {
        assertThat(read(PowerReading.ON, true, 0)).isFalse();
        assertThat(read(PowerReading.OFF, true, 15)).isFalse();
        assertThat(read(PowerReading.OFF, false, 5)).isFalse();
        assertThat(read(PowerReading.OFF, false, 60)).isFalse();
    }

    @Test
    void offForLongWhileTheNodeIsThereIsNotBelievedUntilOnWasRead() {
        assertThat(read(PowerReading.OFF, true, 0)).isFalse();
        assertThat(read(PowerReading.OFF, true, 5)).isFalse();
        assertThat(read(PowerReading.UNKNOWN, true, 3)).isFalse();
        assertThat(read(PowerReading.OFF, true, 2)).isTrue();

        assertThat(read(PowerReading.OFF, false, 60)).isTrue();
        assertThat(read(PowerReading.ON, true, 60)).isFalse();
    }
}
