package dev.tandem.core.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.health.RecoveryPrediction.Known;
import dev.tandem.core.health.RecoveryPrediction.Part;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RecoveryPredictionTest {
    private static final Known QUICK =
            new Known(
                    Duration.ofMillis(2200),
                    false,
                    Duration.ZERO,
                    Optional.empty(),
                    Optional.of(Duration.ofMillis(10)),
                    Duration.ZERO,
                    0,
                    0,
                    false);

    @Test
    void aSmallPairWithAQuickBmcIsBackInAboutThreeSeconds() {
        RecoveryPrediction prediction = RecoveryPrediction.of(QUICK);

        assertThat(prediction.afterPowerLoss()).isEqualTo(Duration.ofMillis(2840));
        assertThat(prediction.afterHang()).isEqualTo(prediction.afterPowerLoss());
        assertThat(prediction.ofApiAfterPowerLoss()).isEmpty();
    }

    /** A second is lost while the survivor is elected. */
    @Test
    void aPeerThatOrdersFencesIsMissedLonger() {
        Known known =
                new Known(
                        QUICK.missedAfter(),
                        true,
                        Duration.ZERO,
                        Optional.empty(),
                        QUICK.bmcLatency(),
                        Duration.ZERO,
                        0,
                        0,
                        false);

        assertThat(RecoveryPrediction.of(known).afterPowerLoss())
                .isEqualTo(Duration.ofMillis(3740));
    }

    /** As when Redfish of its BMC is silent and there is IPMI beside it. */
    @Test
    void aFirstLevelThatWouldFailIsWaitedForInAnyCase() {
        Known known =
                new Known(
                        QUICK.missedAfter(),
                        false,
                        Duration.ZERO,
                        Optional.of(Duration.ofSeconds(20)),
                        QUICK.bmcLatency(),
                        Duration.ZERO,
                        0,
                        0,
                        false);
        RecoveryPrediction prediction = RecoveryPrediction.of(known);

        assertThat(prediction.parts()).containsEntry(Part.SECOND_LEVEL, Duration.ofSeconds(28));
        assertThat(prediction.afterPowerLoss()).isEqualTo(Duration.ofMillis(30_840));
        assertThat(prediction.afterHang()).isEqualTo(prediction.afterPowerLoss());
    }

    /** Who has power may be alive: it is waited for, and switched off. */
    @Test
    void aHangCostsTheSplitDelayAndTheSwitch() {
        Known known =
                new Known(
                        QUICK.missedAfter(),
                        false,
                        Duration.ofSeconds(8),
                        Optional.empty(),
                        QUICK.bmcLatency(),
                        Duration.ofSeconds(6),
                        0,
                        0,
                        true);
        RecoveryPrediction prediction = RecoveryPrediction.of(known);

        assertThat(prediction.afterPowerLoss()).isEqualTo(Duration.ofMillis(2840));
        assertThat(prediction.afterHang()).isEqualTo(Duration.ofMillis(16_840));
        assertThat(prediction.ofApiAfterPowerLoss()).contains(Duration.ofMillis(3440));
    }

    @Test
    void dataTakeTimeToReadAndToLoad() {
        Known known =
                new Known(
                        QUICK.missedAfter(),
                        false,
                        Duration.ZERO,
                        Optional.empty(),
                        Optional.empty(),
                        Duration.ZERO,
                        100_000_000,
                        1_000_000_000,
                        false);
        RecoveryPrediction prediction = RecoveryPrediction.of(known);

        assertThat(prediction.parts())
                .containsEntry(Part.FENCE, Duration.ofMillis(2020))
                .containsEntry(Part.LOG, Duration.ofMillis(650))
                .containsEntry(Part.ETCD, Duration.ofMillis(7350));
    }
}
