package dev.tandem.host.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.testing.PrintedCommands;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.TestPlans;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a plan leaves to be wished for, and the certificate that a BMC shows. */
class FencingLevelsTest {
    private static final String PINNED = "certificate: sha256:" + "ab".repeat(32);
    private static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z");

    @TempDir private Path directory;

    private ClusterPlan plan(String yaml) {
        return TestPlans.read(directory, yaml);
    }

    @Test
    void whatVerifiesNobodyIsAWarningForEachNode() {
        Impediments found = FencingLevels.of(plan(TestPlans.PAIR));

        assertThat(found.impediments()).as("a failure is recovered all the same").isEmpty();
        assertThat(found.warnings())
                .extracting(Impediment::cause, Impediment::node)
                .containsExactly(
                        tuple(Cause.BMC_UNVERIFIED, "node-0"),
                        tuple(Cause.BMC_UNVERIFIED, "node-1"));
        assertThat(found.warnings())
                .allSatisfy(warning ->
                        assertThat(PrintedCommands.faults("Fix: " + warning.remedy())).isEmpty());
    }

    @Test
    void plainHttpIsOneLevelThatBelievesAnybody() {
        String http =
                TestPlans.PAIR
                        .replaceFirst("redfish\\+https", "redfish+http")
                        .replaceAll(
                                "(?s)(node-1.password\n *)certificate: unverified", "$1" + PINNED);

        assertThat(FencingLevels.of(plan(http)).warnings())
                .extracting(Impediment::cause, Impediment::node)
                .containsExactly(
                        tuple(Cause.BMC_UNVERIFIED, "node-0"),
                        tuple(Cause.ONE_FENCING_LEVEL, "node-0"));
    }

    /** Before anybody relies on it, and not when it has happened. */
    @Test
    void aFurtherLevelOfWhichThePlanDoesNotSayWhoseItIsIsAWarning() {
        String verified = TestPlans.FURTHER_PAIR.replace("certificate: unverified", PINNED);
        assertThat(FencingLevels.of(plan(verified)).warnings()).isEmpty();

        Impediments found =
                FencingLevels.of(
                        plan(verified.replaceFirst("provesOff: true", "provesOff: false")));

        assertThat(found.impediments()).isEmpty();
        assertThat(found.warnings())
                .singleElement()
                .satisfies(warning -> {
                    assertThat(warning.cause()).isEqualTo(Cause.FURTHER_LEVEL_PROVES_NOTHING);
                    assertThat(warning.sentence())
                            .isEqualTo(
                                    "if node-0 were fenced by fence_apc_snmp"
                                            + " (tandem-further1-node-0), its peer would wait for a"
                                            + " person: the plan does not say that this agent"
                                            + " switches the power of node-0 and of nothing"
                                            + " else");
                    assertThat(PrintedCommands.faults("Fix: " + warning.remedy())).isEmpty();
                });
    }

    /** An outlet is switched without the BMC. */
    @Test
    void plainHttpAndAFurtherLevelAreTwoLevels() {
        assertThat(
                        FencingLevels.of(
                                        plan(
                                                TestPlans.FURTHER_PAIR.replace(
                                                        "redfish+https", "redfish+http")))
                                .warnings())
                .extracting(Impediment::cause)
                .containsOnly(Cause.BMC_UNVERIFIED);
    }

    @Test
    void aPairThatVerifiesItsBmcsOrSpeaksIpmiHasNone() {
        assertThat(
                        FencingLevels.of(
                                        plan(
                                                TestPlans.PAIR.replace(
                                                        "certificate: unverified", PINNED)))
                                .warnings())
                .isEmpty();
        assertThat(FencingLevels.of(plan(TestPlans.IPMI_PAIR)).warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {caFile: ca.pem} | 31  |
                    {caFile: ca.pem} | 29  | (in 29 days)
                    system           | 29  | (in 29 days)
                    system           | -1  | (it has expired)
                    system           |     |
                    PINNED           | 29  |
                    unverified       | 29  |
                    """)
    void aCertificateThatEndsSoonIsAWarningWhereTheDateCounts(
            String certificate, @Nullable Integer days, @Nullable String words) {
        ClusterPlan.Node node =
                plan(TestPlans.PAIR.replace(
                                "certificate: unverified",
                                certificate.equals("PINNED")
                                        ? PINNED
                                        : "certificate: " + certificate))
                        .nodes()
                        .getFirst();
        Optional<Instant> ends =
                Optional.ofNullable(days).map(count -> NOW.plus(Duration.ofDays(count)));

        Impediments found = BmcCertificate.of(node, ends, NOW);

        assertThat(found.impediments()).isEmpty();
        assertThat(found.warnings().stream().map(Impediment::sentence))
                .hasSize(words == null ? 0 : 1)
                .allSatisfy(sentence -> assertThat(sentence).contains("node-0", words));
    }
}
