package dev.tandem.host.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.IpAddress;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FencingNetworkTest {
    private static final Map<String, String> ROUTES =
            Map.of(
                    "192.0.2.1", "eth0",
                    "198.51.100.1", "eth1",
                    "203.0.113.1", "eth0",
                    "2001:db8::1", "eth1");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    links                   | bmc          | warns
                    192.0.2.1               | 203.0.113.1  | true
                    192.0.2.1               | 198.51.100.1 | false
                    # with a second link the peer is not lost with the first
                    192.0.2.1 198.51.100.1  | 203.0.113.1  | false
                    198.51.100.1 198.51.100.1 | 2001:db8::1 | true
                    # not known
                    192.0.2.1               | 203.0.113.9  | false
                    203.0.113.9             | 203.0.113.1  | false
                    192.0.2.1               | bmc.example  | false
                    """)
    void warnsWherePeerAndBmcAreLostTogether(String links, String bmc, boolean warns) {
        List<IpAddress> addresses =
                Arrays.stream(links.split(" "))
                        .map(address -> IpAddress.parse(address).orElseThrow())
                        .toList();

        Impediments found =
                FencingNetwork.of(
                        "north",
                        "south",
                        addresses,
                        bmc,
                        address -> Optional.ofNullable(ROUTES.get(address.toString())));

        assertThat(found.impediments()).isEmpty();
        assertThat(found.warnings())
                .extracting(Impediment::cause)
                .containsExactlyElementsOf(
                        warns ? List.of(Cause.BMC_BEHIND_CLUSTER_NETWORK) : List.of());
    }

    /** A test needs no network, so the way to an address of this machine has to do. */
    @Test
    void theKernelIsAskedForTheWay() throws IOException {
        assertThat(FencingNetwork.interfaceTowards(IpAddress.parse("127.0.0.1").orElseThrow()))
                .as("no network is needed")
                .isEmpty();
        for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
            for (InterfaceAddress own : each.getInterfaceAddresses()) {
                if (each.isUp()
                        && !each.isLoopback()
                        && own.getAddress() instanceof Inet4Address address) {
                    assertThat(
                                    FencingNetwork.interfaceTowards(
                                            IpAddress.parse(address.getHostAddress())
                                                    .orElseThrow()))
                            .contains(each.getName());
                }
            }
        }
    }
}
