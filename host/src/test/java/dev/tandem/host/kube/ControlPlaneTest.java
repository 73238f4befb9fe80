package dev.tandem.host.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlPlaneTest {
    @TempDir Path directory;

    private ControlPlane controlPlane() {
        return ControlPlane.of(PlanFile.read(directory), "node-1", Path.of("/opt/kube"));
    }

    @Test
    void theApiServerAsksTheEtcdOfItsOwnNodeOnly() {
        String unit = controlPlane().units().getFirst().text();

        assertThat(unit)
                .contains("ExecStart=/opt/kube/kube-apiserver")
                .contains("--etcd-servers=https://127.0.0.1:2379 ")
                .contains("--advertise-address=192.0.2.11 ")
                .doesNotContain("192.0.2.10");
    }

    /** etcd listens on the loopback of IPv4 too (EtcdConfigTest): the API server asks there. */
    @Test
    void aPairWithIpv6AloneHasAnApiServerOfThatFamily() {
        String unit =
                ControlPlane.of(PlanFile.readIpv6(directory), "node-1", Path.of("/opt/kube"))
                        .units()
                        .getFirst()
                        .text();

        assertThat(unit)
                .contains("--bind-address=:: ")
                .contains("--advertise-address=2001:db8::11 ")
                .contains("--service-cluster-ip-range=fd96::/112 ")
                .contains("--etcd-servers=https://127.0.0.1:2379 ");
    }

    /** A unit that pulls kubelet in would start it on a node that Pacemaker keeps inert. */
    @Test
    void noUnitStartsKubeletOrEndsWithIt() {
        assertThat(controlPlane().units())
                .allSatisfy(unit ->
                        assertThat(unit.text())
                                .contains("\nPartOf=tandem-kubernetes.target\n")
                                .contains("\nWantedBy=kubelet.service tandem-kubernetes.target\n")
                                .doesNotContain(
                                        "\nRequires=",
                                        "\nRequisite=",
                                        "\nBindsTo=",
                                        "\nWants=",
                                        "\nPartOf=kubelet.service"));
    }

    @Test
    void whatNamesAKeyIsForItsOwnerOnly() {
        List<NodeFile> files = controlPlane().files();

        assertThat(files)
                .filteredOn(file -> file.content().contains("client-key:"))
                .hasSize(4)
                .allSatisfy(file -> assertThat(file.access()).isEqualTo(NodeFile.Access.OWNER));
        assertThat(files).noneSatisfy(file -> assertThat(file.content()).contains("PRIVATE KEY"));
    }

    @Test
    void everyPartTalksToItsOwnNode() {
        assertThat(controlPlane().files())
                .filteredOn(file -> file.path().toString().endsWith(".conf"))
                .allSatisfy(file ->
                        assertThat(file.content()).contains("server: https://127.0.0.1:6443\n"));
    }
}
