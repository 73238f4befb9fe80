package dev.tandem.host.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.testing.PrintedCommands;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What node-1 says of a failure of node-0, as node-0 tells it. */
class ReportedImpedimentsTest {
    private static List<Impediment> of(RecoveryReadiness told) {
        return ReportedImpediments.of(Optional.of(told), "node-0", "node-1");
    }

    @Test
    void onlyAPeerThatIsHeardAndSaysSoOrCannotSayIsNoImpediment() {
        assertThat(of(new RecoveryReadiness.Automatic())).isEmpty();
        assertThat(of(new RecoveryReadiness.NotTold())).isEmpty();
        assertThat(ReportedImpediments.of(Optional.empty(), "node-0", "node-1"))
                .extracting(Impediment::cause)
                .containsExactly(Cause.PEER_READINESS_UNKNOWN);
        assertThat(of(new RecoveryReadiness.Impeded(List.of())))
                .extracting(Impediment::cause)
                .containsExactly(Cause.PEER_CAUSE_UNKNOWN);
    }

    @ParameterizedTest
    @EnumSource
    void everyCauseIsAboutThisNodesFailureAndNamesThePeer(Cause cause) {
        assertThat(of(new RecoveryReadiness.Impeded(List.of(cause))))
                .singleElement()
                .satisfies(found -> {
                    assertThat(found.failureOf()).contains("node-0");
                    assertThat(found.sentence()).contains("node-1");
                    assertThat(found.remedy()).contains("node-1");
                    assertThat(found.known()).isEmpty();
                    assertThat(PrintedCommands.faults("Fix: " + found.remedy())).isEmpty();
                });
    }

    @Test
    void theCauseToTellFirstIsFirst() {
        assertThat(
                        of(
                                new RecoveryReadiness.Impeded(
                                        List.of(
                                                Cause.BMC_UNREACHABLE,
                                                Cause.PACEMAKER_SILENT,
                                                Cause.BMC_UNREACHABLE))))
                .extracting(Impediment::cause)
                .containsExactly(Cause.PACEMAKER_SILENT, Cause.BMC_UNREACHABLE);
    }
}
