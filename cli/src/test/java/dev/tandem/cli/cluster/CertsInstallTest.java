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
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        return CertsInstallCommand.install(
                issued(),
                "node-0",
                directory.resolve("etc/tandem"),
                directory.resolve("etc/kubernetes"),
                CLOCK);
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
