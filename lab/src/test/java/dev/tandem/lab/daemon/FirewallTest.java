package dev.tandem.lab.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.NetworkFault;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FirewallTest {
    private final LabLayout layout = LabLayout.of(LabSpec.twoNodes("lab"));

    private String rules(NetworkFault... faults) {
        return Firewall.rules(layout, List.of(faults));
    }

    @Test
    void withoutFaultsNothingIsDropped() {
        assertThat(rules()).doesNotContain("drop").contains("policy accept");
    }

    @Test
    void aCutOneWayDropsThatWayOnly() {
        assertThat(rules(new NetworkFault.Cut("cluster0", "node-0", "node-1", false, List.of())))
                .contains("iifname \"c0-node-0\" oifname \"c0-node-1\" counter drop")
                .doesNotContain("iifname \"c0-node-1\"");
    }

    @Test
    void aCutBothWaysDropsBoth() {
        assertThat(rules(new NetworkFault.Cut("fence0", "node-0", "node-1-bmc", true, List.of())))
                .contains("iifname \"f-node-0\" oifname \"f-node-1-bmc\" counter drop")
                .contains("iifname \"f-node-1-bmc\" oifname \"f-node-0\" counter drop");
    }

    @Test
    void aPortIsCutForQuestionsAndAnswers() {
        assertThat(
                        rules(
                                new NetworkFault.Cut(
                                        "cluster0",
                                        NetworkFault.ANYBODY,
                                        "node-1",
                                        false,
                                        List.of(NetworkFault.Port.parse("udp/5405")))))
                .contains("iifname \"c0-*\" oifname \"c0-node-1\" meta l4proto udp th sport 5405")
                .contains("meta l4proto udp th dport 5405 counter drop");
    }

    @Test
    void whatIsDoneToACableIsNoMatterForTheRules() {
        assertThat(rules(new NetworkFault.Delay("cluster0", "node-0", 5, 0))).isEqualTo(rules());
        assertThat(rules(new NetworkFault.Unplugged("cluster0", "node-0"))).isEqualTo(rules());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5405", "udp", "udp/", "udp/0", "udp/65536", "icmp/1", "udp/1/2"})
    void whatIsNoPortIsRefused(String text) {
        assertThatThrownBy(() -> NetworkFault.Port.parse(text)).isInstanceOf(Failure.class);
    }

    @Test
    void aNetworkThatIsNotThereIsRefused() {
        assertThatThrownBy(() -> rules(new NetworkFault.Loss("cluster1", "node-0", 5)))
                .hasMessageContaining("cluster0, fence0");
    }
}
