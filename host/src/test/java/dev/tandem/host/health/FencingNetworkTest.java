package dev.tandem.host.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.IpAddress;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.TestPlans;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FencingNetworkTest {
    private static final Map<String, String> ROUTES =
            Map.of(
                    "192.0.2.1", "eth0",
                    "198.51.100.1", "eth1",
                    "203.0.113.1", "eth0",
                    "2001:db8::1", "eth1");

    private static final Map<String, List<IpAddress>> NAMES =
            Map.of(
                    "bmc.example", List.of(ip("203.0.113.1")),
                    "oneway.example", List.of(ip("203.0.113.1"), ip("2001:db8::9")),
                    "both.example", List.of(ip("203.0.113.1"), ip("198.51.100.1")));

    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    links                     | bmc                          | warns
                    192.0.2.1                 | 203.0.113.1                  | true
                    192.0.2.1                 | 198.51.100.1                 | false
                    # with a second link the peer is not lost with the first
                    192.0.2.1 198.51.100.1    | 203.0.113.1                  | false
                    198.51.100.1 198.51.100.1 | 2001:db8::1                  | true
                    # each way to the BMC counts, and each address of one
                    192.0.2.1                 | 203.0.113.1; 203.0.113.1     | true
                    192.0.2.1                 | 203.0.113.1; 198.51.100.1    | false
                    192.0.2.1                 | 198.51.100.1; 203.0.113.1    | false
                    192.0.2.1                 | bmc.example                  | true
                    192.0.2.1                 | both.example                 | false
                    192.0.2.1                 | oneway.example               | true
                    192.0.2.1                 | 203.0.113.1; bmc.example     | true
                    192.0.2.1                 | bmc.example; 198.51.100.1    | false
                    # not known
                    192.0.2.1                 | 203.0.113.9                  | false
                    203.0.113.9               | 203.0.113.1                  | false
                    203.0.113.9               | 203.0.113.9                  | false
                    192.0.2.1                 | nobody.example               | false
                    192.0.2.1                 | 203.0.113.1; nobody.example  | false
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
                        Arrays.stream(bmc.split("; ")).map(FencingNetworkTest::resolved).toList(),
                        address -> Optional.ofNullable(ROUTES.get(address.toString())));

        assertThat(found.impediments()).isEmpty();
        assertThat(found.warnings())
                .extracting(Impediment::cause)
                .containsExactlyElementsOf(
                        warns ? List.of(Cause.BMC_BEHIND_CLUSTER_NETWORK) : List.of());
    }

    private static List<IpAddress> resolved(String host) {
        return IpAddress.parse(host)
                .map(List::of)
                .orElseGet(() -> Objects.requireNonNull(NAMES.getOrDefault(host, List.of())));
    }

    private static IpAddress ip(String text) {
        return IpAddress.parse(text).orElseThrow();
    }

    @Test
    void aServerOfNamesThatFallsSilentChangesNothing() {
        ClusterPlan plan =
                TestPlans.read(directory, TestPlans.PAIR.replace("10.92.0.101", "bmc.example"));
        boolean[] silent = {false};
        FencingNetworkWatch watch =
                new FencingNetworkWatch(
                        () -> plan,
                        "node-0",
                        "node-1",
                        host -> silent[0] ? List.of() : resolved(host),
                        _ -> Optional.of("eth0"));
        assertThat(watch.found().warnings()).as("nothing is looked at by those who ask").isEmpty();

        watch.look();
        assertThat(watch.found().warnings()).hasSize(1);
        silent[0] = true;
        watch.look();
        assertThat(watch.found().warnings()).hasSize(1);
    }

    @Test
    void bothWaysToABmcAreLookedAt() {
        ClusterPlan plan = TestPlans.read(directory, TestPlans.REDFISH_AND_IPMI_PAIR);

        assertThat(FencingNetwork.hostsOf(plan.node("node-1").orElseThrow())).hasSize(2);
    }

    @Test
    void aNameIsResolved() {
        assertThat(new HostAddresses().of("localhost")).isNotEmpty();
        assertThat(new HostAddresses().of("192.0.2.1")).containsExactly(ip("192.0.2.1"));
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
