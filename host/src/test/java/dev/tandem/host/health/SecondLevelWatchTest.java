package dev.tandem.host.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.testing.PrintedCommands;
import dev.tandem.host.Secrets;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodePasswords;
import dev.tandem.host.plan.TestPlans;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real files, which go and come. */
class SecondLevelWatchTest {
    @TempDir private Path directory;

    @BeforeEach
    void installed() throws IOException {
        for (String program : List.of("fence_tandem_redfish", "fence_redfish")) {
            Files.createFile(
                    directory.resolve(program),
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwxr-xr-x")));
        }
        Secrets.write(directory.resolve("node-1.password"), "secret word\n");
    }

    private List<Impediment> found(String yaml) {
        ClusterPlan plan = TestPlans.read(directory, yaml);
        SecondLevelWatch watch =
                new SecondLevelWatch(() -> plan, "node-1", new NodePasswords(), directory);
        watch.look();
        SecondLevelWatch.Found found = watch.found();
        assertThat(found.told().impediments()).isEmpty();
        assertThat(found.devices()).hasSameSizeAs(found.told().warnings());
        assertThat(found.told().warnings())
                .allSatisfy(one ->
                        assertThat(one.sentence())
                                .containsAnyOf(found.devices().toArray(String[]::new)));
        return found.told().warnings();
    }

    private static void isOne(List<Impediment> found, String device, String why) {
        assertThat(found)
                .singleElement()
                .satisfies(one -> {
                    assertThat(one.cause()).isEqualTo(Cause.SECOND_LEVEL_BROKEN);
                    assertThat(one.sentence()).contains(device, why).doesNotContain("secret word");
                    assertThat(PrintedCommands.faults("Fix: " + one.remedy())).isEmpty();
                });
    }

    @Test
    void aLevelThatHasWhatItNeedsIsNotTold() {
        assertThat(found(TestPlans.PAIR)).isEmpty();
    }

    @Test
    void aPasswordThatIsGoneIsTold() throws IOException {
        Files.delete(directory.resolve("node-1.password"));

        isOne(found(TestPlans.PAIR), "tandem-redfish-node-1", "no password for the BMC of node-1");
    }

    @Test
    void aFurtherLevelNeedsItsProgramAndItsPasswordToo() throws IOException {
        Set<PosixFilePermission> executable = PosixFilePermissions.fromString("rwxr-xr-x");
        isOne(found(TestPlans.FURTHER_PAIR), "tandem-further1-node-1", "fence_tandem_further is");
        for (String program : List.of("fence_tandem_further", "fence_apc_snmp")) {
            Files.createFile(
                    directory.resolve(program), PosixFilePermissions.asFileAttribute(executable));
        }
        isOne(
                found(TestPlans.FURTHER_PAIR),
                "tandem-further1-node-1",
                "there is no password for fence_apc_snmp, a further fencing level of node-1");
        Secrets.write(directory.resolve("node-1.pdu"), "secret word\n");

        assertThat(found(TestPlans.FURTHER_PAIR)).isEmpty();
    }

    @Test
    void soAreAuthoritiesThatCannotBeRead() throws IOException {
        String plan = TestPlans.PAIR.replace("unverified", "{caFile: ca.pem}");
        Files.writeString(directory.resolve("ca.pem"), "no certificate");

        isOne(found(plan), "tandem-redfish-node-1", "ca.pem");
    }

    @Test
    void soIsAProgramThatIsGone() throws IOException {
        Files.delete(directory.resolve("fence_redfish"));

        isOne(found(TestPlans.PAIR), "tandem-redfish-node-1", "fence_redfish is not there");
    }

    @Test
    void eachLevelIsLookedAt() {
        assertThat(found(TestPlans.REDFISH_AND_IPMI_PAIR))
                .singleElement()
                .satisfies(one -> assertThat(one.sentence()).contains("tandem-ipmilan-node-1"));
    }
}
