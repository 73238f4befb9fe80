package dev.tandem.host.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.Secrets;
import dev.tandem.host.credential.PasswordSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeFilesTest {
    @TempDir Path site;
    @TempDir Path etc;

    private NodeFiles files;
    private ClusterPlan plan;

    @BeforeEach
    void aPlanThatIsInPlace() {
        files = new NodeFiles(etc);
        plan = TestPlans.read(site, TestPlans.PAIR);
        Secrets.write(plan.pcsdTokenFile(), Secrets.newToken() + "\n");
        plan.nodes().forEach(node -> Secrets.write(passwordFile(node), "secret\n"));
        files.write(plan);
    }

    private static Path passwordFile(ClusterPlan.Node node) {
        return ((PasswordSource.InFile) node.bmc().password()).file();
    }

    @Test
    void aTokenThatCouldBeGuessedIsRefused() {
        Secrets.write(plan.pcsdTokenFile(), "abc\n");

        assertThat(PlanSecrets.faults(plan))
                .singleElement()
                .satisfies(fault -> {
                    assertThat(fault.what()).contains("refusing the token for pcsd in ");
                    assertThat(fault.why()).contains("it has 3 characters, and 32 are needed");
                    assertThat(fault.remedy()).contains("tandem cluster token > ");
                });
    }

    @Test
    void whatIsInPlaceNeedsNoChange() {
        assertThat(files.changesTo(plan)).isEmpty();
        assertThat(ClusterPlan.read(etc.resolve("cluster.yaml"))).isEqualTo(plan.installed(etc));
    }

    @Test
    void thePasswordOfASecondIsInstalledToo() throws IOException {
        ClusterPlan both = TestPlans.read(site, TestPlans.REDFISH_AND_IPMI_PAIR);
        assertThat(PlanSecrets.faults(both)).as("its file is missing").hasSize(2);
        both.nodesBySecond().forEach(node -> new NodePasswords().write(node, "other"));

        files.write(both);

        assertThat(PlanSecrets.faults(both)).isEmpty();
        assertThat(etc.resolve("bmc/node-1_second.password")).hasContent("other");
        assertThat(etc.resolve("bmc/node-1.password")).hasContent("secret");
        assertThat(ClusterPlan.read(etc.resolve("cluster.yaml"))).isEqualTo(both.installed(etc));
    }

    @Test
    void thePasswordOfAFurtherLevelIsInstalledToo() throws IOException {
        ClusterPlan further = TestPlans.read(site, TestPlans.FURTHER_PAIR);
        assertThat(PlanSecrets.faults(further))
                .as("its file is missing")
                .hasSize(2)
                .allSatisfy(fault ->
                        assertThat(fault.what())
                                .startsWith(
                                        "there is no password for fence_apc_snmp, a further fencing"
                                                + " level of node-"));
        Secrets.write(site.resolve("node-0.pdu"), "one\n");
        Secrets.write(site.resolve("node-1.pdu"), "other\n");

        files.write(further);

        assertThat(PlanSecrets.faults(further)).isEmpty();
        assertThat(etc.resolve("bmc/node-1_further1.password")).hasContent("other");
        assertThat(ClusterPlan.read(etc.resolve("cluster.yaml"))).isEqualTo(further.installed(etc));
        assertThat(Files.readString(etc.resolve("cluster.yaml"))).doesNotContain("other");
    }

    /** Nobody's plan changes because a newer Tandem quotes in another way. */
    @Test
    void aPlanThatIsWrittenInAnotherWayIsTheSame() throws IOException {
        Path installed = etc.resolve("cluster.yaml");
        String otherwise = Files.readString(installed).replace("\"10.90.0.10\"", "'10.90.0.10'");
        assertThat(otherwise).isNotEqualTo(Files.readString(installed));
        Files.writeString(installed, otherwise);

        assertThat(files.changesTo(plan)).isEmpty();
        files.write(plan);
        assertThat(installed).hasContent(otherwise);
    }

    @Test
    void anotherPlanIsAChange() {
        ClusterPlan slower =
                TestPlans.read(site, TestPlans.PAIR.replace("profile: default", "bmcOff: 15s"));

        assertThat(files.changesTo(slower))
                .singleElement()
                .asString()
                .contains(etc.resolve("cluster.yaml").toString());
        files.write(slower);
        assertThat(ClusterPlan.read(etc.resolve("cluster.yaml"))).isEqualTo(slower.installed(etc));
    }

    @Test
    void aFileOfAuthoritiesHasACertificate() throws IOException {
        ClusterPlan verified =
                TestPlans.read(
                        site, TestPlans.PAIR.replaceFirst("unverified", "{caFile: bmc-ca.pem}"));
        Files.writeString(site.resolve("bmc-ca.pem"), "hello");

        assertThat(PlanSecrets.faults(verified))
                .singleElement()
                .satisfies(fault ->
                        assertThat(fault.why()).isEqualTo("it holds no CERTIFICATE block"));
    }

    @Test
    void aPlanThatNobodyCanReadIsReplaced() throws IOException {
        Files.writeString(etc.resolve("cluster.yaml"), "half a plan");

        assertThat(files.changesTo(plan)).hasSize(1);
        files.write(plan);
        assertThat(files.changesTo(plan)).isEmpty();
    }
}
