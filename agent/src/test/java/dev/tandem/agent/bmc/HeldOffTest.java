package dev.tandem.agent.bmc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.PowerReading;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a peer counts as off and staying so. */
class HeldOffTest {

    /**
     * Readings of the BMC, five seconds apart; a star marks one from a BMC not known as the peer's.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    OFF                                             | false
                    OFF OFF OFF OFF OFF OFF                         | false
                    OFF OFF OFF OFF OFF OFF OFF                     | true
                    OFF OFF OFF UNKNOWN OFF OFF OFF                 | false
                    OFF OFF OFF ON OFF OFF OFF                      | false
                    OFF OFF OFF OFF OFF OFF OFF ON                  | false
                    OFF* OFF* OFF* OFF* OFF* OFF* OFF*              | false
                    OFF* OFF OFF OFF OFF OFF OFF OFF                | true
                    """)
    void readings(String readings, boolean heldOff) {
        long[] nanos = {1};
        BmcWatch.HeldOff held = new BmcWatch.HeldOff(() -> nanos[0]);
        boolean last = false;
        for (String reading : readings.split(" ", -1)) {
            last =
                    held.read(
                            PowerReading.valueOf(reading.replace("*", "")), !reading.endsWith("*"));
            nanos[0] += Duration.ofSeconds(5).toNanos();
        }
        assertThat(last).isEqualTo(heldOff);
    }
}
