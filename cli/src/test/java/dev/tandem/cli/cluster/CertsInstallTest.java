package dev.tandem.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.kube.KubePki;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.plan.ClusterPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All of a node's certificates are put in place, or none: the guide promises it. */
class CertsInstallTest {
    private static final InstantSource CLOCK = InstantSource.system();

    @TempDir private Path directory = Path.of("");

    private Path issued() {
        return directory.resolve("node-0");
    }

    @BeforeEach
    void issue() throws IOException {
        Path file =
                Files.writeString(
                        directory.resolve("plan.yaml"),
                        """
                        name: site-17
                        nodes:
                          - name: node-0
                            addresses: [192.0.2.10]
                            bmc: {address: redfish+https://192.0.2.20/redfish/v1/Systems/1, username: u, passwordFile: p}
                          - name: node-1
                            addresses: [192.0.2.11]
                            bmc: {address: redfish+https://192.0.2.21/redfish/v1/Systems/1, username: u, passwordFile: p}
                        """);
        ClusterPlan plan = ClusterPlan.readNew(file);
        SitePki.create(directory.resolve("ca"), "site-17", CLOCK);
        SitePki.load(directory.resolve("ca"), CLOCK).issue("node-0", List.of(), issued());
        KubePki.create(directory.resolve("ca/kubernetes"), "site-17", CLOCK);
        KubePki.load(directory.resolve("ca/kubernetes"), CLOCK)
                .issue(plan, plan.preferred(), issued().resolve("kubernetes"));
    }

    private List<Path> install() {
        return install(issued(), false, false);
    }

    private List<Path> install(Path from, boolean replaceAuthority, boolean dryRun) {
        return new CertsInstallCommand.Places(
                        directory.resolve("etc/tandem"), directory.resolve("etc/kubernetes"))
                .install(from, "node-0", CLOCK, replaceAuthority, dryRun);
    }

    private Path issuedBy(String authority, String to) {
        Path ca = directory.resolve(authority);
        if (!SitePki.isIn(ca)) {
            SitePki.create(ca, authority, CLOCK);
        }
        SitePki.load(ca, CLOCK).issue("node-0", List.of(), directory.resolve(to));
        return directory.resolve(to);
    }

    @Test
    void aDirectoryOfAnotherAuthorityIsRefusedUnlessThatIsMeant() {
        install();
        Path other = issuedBy("other-site", "other");

        assertThatThrownBy(() -> install(other, false, false))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.what()).isEqualTo("refusing " + other);
                            assertThat(failure.why())
                                    .contains("its CA (CN=other-site) is not the one installed in ")
                                    .endsWith("the peer would not trust it");
                            assertThat(failure.remedy()).contains("--replace-ca");
                        });
        assertThat(install(other, true, false)).hasSize(1);
        assertThat(install(issuedBy("other-site", "renewed"), false, false)).hasSize(1);
    }

    @Test
    void aDryRunInstallsNothing() {
        assertThat(install(issued(), false, true)).hasSize(2);
        assertThat(directory.resolve("etc")).doesNotExist();
    }

    private void copy(String from, String to) throws IOException {
        for (String kind : List.of(".pem", ".key")) {
            Files.copy(
                    issued().resolve(from + kind),
                    issued().resolve(to + kind),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    @ParameterizedTest
    @CsvSource({"etcd,agent", "etcd-client,agent", "agent,etcd", "agent,etcd-client"})
    void aCertificateOfAnotherPurposeIsRefused(String from, String to) throws IOException {
        copy(from, to);

        assertThatThrownBy(this::install)
                .isInstanceOf(Failure.class)
                .hasMessageContaining("refusing " + issued().resolve(to + ".pem"));
        assertThat(directory.resolve("etc")).doesNotExist();
    }

    /** As all agents had them before they had a purpose: a server and a client. */
    @Test
    void anOlderCertificateOfAnAgentIsAccepted() throws IOException {
        Path earlier = issuedBy("ca", "earlier");
        for (String kind : List.of(".pem", ".key")) {
            Files.copy(
                    earlier.resolve("etcd" + kind),
                    issued().resolve("agent" + kind),
                    StandardCopyOption.REPLACE_EXISTING);
        }

        assertThat(install()).hasSize(2);
    }

    @Test
    void bothSetsAreInstalled() {
        assertThat(install())
                .containsExactly(
                        directory.resolve("etc/tandem"), directory.resolve("etc/kubernetes"));
        assertThat(directory.resolve("etc/tandem/agent.key")).exists();
        assertThat(directory.resolve("etc/kubernetes/kubelet.key")).exists();
    }

    @Test
    void anUnfitSetOfKubernetesKeepsTheOtherOutToo() throws IOException {
        Files.delete(issued().resolve("kubernetes/encryption.yaml"));

        assertThatThrownBy(this::install).isInstanceOf(Failure.class);
        assertThat(directory.resolve("etc")).doesNotExist();
    }
}
