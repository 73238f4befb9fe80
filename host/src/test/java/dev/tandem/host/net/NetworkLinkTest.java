package dev.tandem.host.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.FenceDelay.Link;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkLinkTest {
    private static final InetAddress API = InetAddress.ofLiteral("192.0.2.100");

    @TempDir private Path sys;

    private void has(String name, String carrier) throws IOException {
        Path directory = Files.createDirectories(sys.resolve(name));
        Files.writeString(directory.resolve("operstate"), "up\n");
        Files.writeString(directory.resolve("carrier"), carrier + "\n");
    }

    private static NetworkLink.Own own(String name, String address, int prefix) {
        return new NetworkLink.Own(name, InetAddress.ofLiteral(address), prefix);
    }

    private Link read(NetworkLink.Own... addresses) {
        return new NetworkLink(sys, () -> List.of(addresses)).read(API, Optional.empty());
    }

    @Test
    void theInterfaceInTheNetworkOfTheAddressCounts() throws IOException {
        has("eth0", "0");
        has("eth1", "1");

        assertThat(read(own("eth0", "192.0.2.10", 24), own("eth1", "198.51.100.10", 24)))
                .isEqualTo(Link.DOWN);
        assertThat(read(own("eth1", "192.0.2.10", 24), own("eth0", "198.51.100.10", 24)))
                .isEqualTo(Link.UP);
        assertThat(read(own("eth0", "192.0.2.10", 24), own("eth1", "192.0.2.11", 24)))
                .as("one of two")
                .isEqualTo(Link.UP);
    }

    /** Else the node that has the address would be judged by it, and the other would not. */
    @Test
    void theAddressItselfTellsNothing() throws IOException {
        has("eth0", "0");

        assertThat(read(own("eth0", "192.0.2.100", 24))).isEqualTo(Link.UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.10, 24, DOWN",
        "192.0.2.10, 25, DOWN",
        "192.0.2.10, 26, UNKNOWN",
        "192.0.2.10, 32, UNKNOWN",
        "2001:db8::1, 64, UNKNOWN"
    })
    void aNetworkIsAsLargeAsItsPrefixSays(String address, int prefix, Link expected)
            throws IOException {
        has("eth0", "0");

        assertThat(read(own("eth0", address, prefix))).isEqualTo(expected);
    }

    @Test
    void anInterfaceThatThePlanNamesIsTheOne() throws IOException {
        has("eth0", "0");
        has("eth1", "1");
        NetworkLink link = new NetworkLink(sys, () -> List.of(own("eth1", "192.0.2.10", 24)));

        assertThat(link.read(API, Optional.of("eth0"))).isEqualTo(Link.DOWN);
    }

    @Test
    void whatCannotBeReadIsUnknown() {
        NetworkLink link =
                new NetworkLink(
                        sys,
                        () -> {
                            throw new SocketException("refused");
                        });

        assertThat(link.read(API, Optional.empty())).isEqualTo(Link.UNKNOWN);
        assertThat(read(own("eth0", "192.0.2.10", 24))).as("no such file").isEqualTo(Link.UNKNOWN);
    }

    @Test
    void theLoopbackOfThisMachineIsUp() {
        assertThat(new NetworkLink().read(InetAddress.ofLiteral("127.0.0.77"), Optional.empty()))
                .isEqualTo(Link.UP);
    }
}
