package dev.tandem.lab.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.lab.daemon.LabNetwork;
import dev.tandem.lab.spec.LabSpec.AddressFamily;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabLayoutTest {
    /** The kernel takes no longer name for a link. */
    private static final int LINK_NAME_LIMIT = 15;

    private static LabSpec everything(AddressFamily family) {
        return LabSpec.twoNodes("abcdefghijklmnopqrstuvwxyz-01234")
                .withArbiter()
                .withLinks(2)
                .withAddresses(family);
    }

    @ParameterizedTest
    @EnumSource(AddressFamily.class)
    void noAddressAndNoMacIsGivenTwice(AddressFamily family) {
        LabLayout layout = LabLayout.of(everything(family));
        List<String> addresses =
                layout.nodes().stream()
                        .flatMap(node ->
                                Stream.concat(
                                        node.interfaces().stream()
                                                .flatMap(one -> one.addresses().stream()),
                                        node.bmcAddresses().stream()))
                        .map(LabLayout.Address::ip)
                        .toList();

        assertThat(addresses).doesNotHaveDuplicates().doesNotContain(layout.apiAddress().ip());
        assertThat(
                        layout.nodes().stream()
                                .flatMap(node -> node.interfaces().stream())
                                .map(LabLayout.Interface::mac))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    IPV4 | 1 | 10.77.0.11
                    IPV6 | 1 | fd77:7a6e:0:0::11
                    DUAL | 1 | 10.77.0.11
                    IPV4 | 2 | 10.77.0.11 10.77.1.11
                    IPV6 | 2 | fd77:7a6e:0:0::11 fd77:7a6e:0:1::11
                    DUAL | 2 | 10.77.0.11 fd77:7a6e:0:1::11
                    """)
    void aPlanHasOneAddressForEachLinkAndNoneForFencing(
            AddressFamily family, int links, String planned) {
        LabSpec spec = LabSpec.twoNodes("lab").withAddresses(family).withLinks(links);

        assertThat(LabLayout.of(spec).node("node-1").planAddresses())
                .extracting(LabLayout.Address::ip)
                .containsExactly(planned.split(" "));
    }

    @Test
    void everyNameOfALinkFitsAlsoWithTheLetterOfASlowCable() {
        LabLayout layout = LabLayout.of(everything(AddressFamily.DUAL));
        for (LabLayout.NodePlan node : layout.nodes()) {
            assertThat(LabNetwork.bmcPort(node.name())).hasSizeLessThanOrEqualTo(LINK_NAME_LIMIT);
            for (LabLayout.Interface one : node.interfaces()) {
                assertThat("s" + one.port(node.name())).hasSizeLessThanOrEqualTo(LINK_NAME_LIMIT);
            }
        }
    }

    @Test
    void macsAreLocallyAdministeredUnicastAndStayTheSame() {
        LabLayout layout = LabLayout.of(everything(AddressFamily.IPV4));

        assertThat(LabLayout.of(everything(AddressFamily.IPV4))).isEqualTo(layout);
        assertThat(layout.nodes().getFirst().interfaces().getFirst().mac())
                .matches("02(:[0-9a-f]{2}){5}");
    }

    @Test
    void everyNodeAndBmcStandsInTheHostsFile() {
        assertThat(LabLayout.of(LabSpec.twoNodes("lab").withLinks(2)).hostsFile())
                .contains("10.77.0.10 node-0 node-0.cluster0\n")
                .contains("10.77.1.11 node-1.cluster1\n")
                .contains("10.77.9.111 node-1-bmc\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "A",
                "-a",
                "a-",
                "a b",
                "../up",
                "a_b",
                "abcdefghijklmnopqrstuvwxyz-012345"
            })
    void aNameThatDoesNotFitIntoPathsAndHostNamesIsRefused(String name) {
        assertThatThrownBy(() -> LabSpec.twoNodes(name)).isInstanceOf(Failure.class);
    }

    @Test
    void anUnknownNodeIsAnsweredWithThoseThatExist() {
        assertThatThrownBy(() -> LabLayout.of(LabSpec.twoNodes("lab")).node("node-2"))
                .hasMessageContaining("node-0, node-1");
    }
}
