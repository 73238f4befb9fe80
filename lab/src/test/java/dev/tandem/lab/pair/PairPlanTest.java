package dev.tandem.lab.pair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.LabSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the pair of a lab is set up with, read as the product reads it. */
class PairPlanTest {
    @TempDir Path site;

    private ClusterPlan plan(LabSpec spec, Optional<Duration> bmcOff) throws IOException {
        return ClusterPlan.read(
                Files.writeString(
                        site.resolve("plan.yaml"),
                        PairPlan.of(LabLayout.of(spec), "default", bmcOff)));
    }

    @ParameterizedTest
    @EnumSource(LabSpec.BmcProtocol.class)
    void eachNodeHasTheBmcsOfTheLab(LabSpec.BmcProtocol bmc) throws IOException {
        ClusterPlan plan = plan(LabSpec.twoNodes("lab").withBmc(bmc), Optional.empty());

        assertThat(plan.bmcOff()).isEqualTo(ClusterPlan.QUICK_BMC_OFF);
        assertThat(plan.nodes())
                .hasSize(2)
                .allSatisfy(node -> {
                    assertThat(node.bmc().address().isIpmi())
                            .isEqualTo(bmc == LabSpec.BmcProtocol.IPMI);
                    assertThat(node.bmc().second().isPresent())
                            .isEqualTo(bmc == LabSpec.BmcProtocol.BOTH);
                });
    }

    @Test
    void thePlanSaysHowLongTheBmcsTake() throws IOException {
        ClusterPlan plan = plan(LabSpec.twoNodes("lab"), Optional.of(Duration.ofSeconds(6)));

        assertThat(plan.bmcOff()).hasSeconds(6);
        assertThat(plan.splitDelay()).as("the first must have switched off").hasSeconds(8);
    }
}
