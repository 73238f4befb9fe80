package dev.tandem.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.PowerReading;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** When a BMC that reads Off is not believed. */
class OffWhileAliveTest {
    private long now = Duration.ofHours(1).toNanos();
    private final OffWhileAlive watch =
            new OffWhileAlive(() -> now, () -> Instant.ofEpochSecond(0, now));

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

    @Test
    void whoWasDeceivedRemainsSoWhenTheBmcComesToItsSenses() {
        assertThat(watch.lastFound()).isEqualTo(Instant.EPOCH);
        read(PowerReading.OFF, true, 0);
        read(PowerReading.OFF, true, 15);
        Instant fenced = Instant.ofEpochSecond(0, now).plusSeconds(5);
        read(PowerReading.OFF, false, 10);
        assertThat(watch.lastFound()).isAfter(fenced);

        read(PowerReading.ON, false, 10);
        Instant recovered = Instant.ofEpochSecond(0, now);
        assertThat(watch.found()).isFalse();
        read(PowerReading.ON, true, 60);
        assertThat(watch.lastFound()).isEqualTo(recovered);
    }
}
