package dev.tandem.host.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.IpAddress;
import dev.tandem.core.decision.FenceDelay.Link;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnLinksTest {
    private static final IpAddress FIRST = address("192.0.2.1");
    private static final IpAddress SECOND = address("2001:db8::1");

    @TempDir private Path sys;

    private static IpAddress address(String text) {
        return IpAddress.parse(text).orElseThrow();
    }

    private void link(String name, String state, Optional<String> carrier) throws IOException {
        Path directory = Files.createDirectory(sys.resolve(name));
        Files.writeString(directory.resolve("operstate"), state + "\n");
        if (carrier.isPresent()) {
            Files.writeString(directory.resolve("carrier"), carrier.get() + "\n");
        }
    }

    private List<Link> read(Map<String, String> interfaces) {
        return new OwnLinks(
                        sys,
                        address -> Optional.ofNullable(interfaces.get(address.getHostAddress())),
                        List.of(FIRST, SECOND))
                .read();
    }

    @Test
    void eachAddressHasTheStateOfItsInterface() throws IOException {
        link("eth0", "up", Optional.of("1"));
        link("eth1", "down", Optional.of("0"));

        assertThat(read(Map.of("192.0.2.1", "eth0", "2001:db8:0:0:0:0:0:1", "eth1")))
                .containsExactly(Link.UP, Link.DOWN);
    }

    @Test
    void anInterfaceThatIsSetDownTellsNoCarrierAndIsDown() throws IOException {
        link("eth0", "down", Optional.empty());
        link("bond0.7", "lowerlayerdown", Optional.of("0"));

        assertThat(read(Map.of("192.0.2.1", "eth0", "2001:db8:0:0:0:0:0:1", "bond0.7")))
                .containsExactly(Link.DOWN, Link.DOWN);
    }

    /** Drivers without the state of a link say so; some virtual ones do. */
    @Test
    void anUnknownStateWithACarrierIsUp() throws IOException {
        link("tap0", "unknown", Optional.of("1"));

        assertThat(read(Map.of("192.0.2.1", "tap0")).getFirst()).isEqualTo(Link.UP);
    }

    /** As the kernel has it: of two cards one is set upon, by a link to the other's directory. */
    private void lower(String upper, String lower) throws IOException {
        Files.createSymbolicLink(sys.resolve(upper).resolve("lower_" + lower), sys.resolve(lower));
    }

    private void card(String name, String carrier) throws IOException {
        link(name, carrier.equals("0") ? "down" : "up", Optional.of(carrier));
        Files.createDirectory(sys.resolve(name).resolve("device"));
    }

    /** A bridge has a carrier while any of its ports has, and a virtual machine's always has. */
    @ParameterizedTest
    @CsvSource({"0, DOWN", "1, UP"})
    void aBridgeIsAsGoodAsTheCablesBehindIt(String carrier, Link expected) throws IOException {
        card("eth0", carrier);
        link("vnet0", "unknown", Optional.of("1"));
        link("br0", "up", Optional.of("1"));
        lower("br0", "eth0");
        lower("br0", "vnet0");

        assertThat(read(Map.of("192.0.2.1", "br0")).getFirst()).isEqualTo(expected);
    }

    @Test
    void theCablesOfABridgeAreFoundThroughBondsAndVlans() throws IOException {
        card("eth0", "0");
        card("eth1", "0");
        link("bond0", "up", Optional.of("1"));
        lower("bond0", "eth0");
        lower("bond0", "eth1");
        link("bond0.7", "up", Optional.of("1"));
        lower("bond0.7", "bond0");
        link("br0", "up", Optional.of("1"));
        lower("br0", "bond0.7");
        link("br0.8", "up", Optional.of("1"));
        lower("br0.8", "br0");

        assertThat(read(Map.of("192.0.2.1", "br0.8")).getFirst()).isEqualTo(Link.DOWN);

        Files.writeString(sys.resolve("eth1/carrier"), "1\n");
        Files.writeString(sys.resolve("eth1/operstate"), "up\n");
        assertThat(read(Map.of("192.0.2.1", "br0.8")).getFirst()).isEqualTo(Link.UP);
    }

    /** It has no cable, so there is none that could be dead. */
    @Test
    void aBridgeOfVirtualPortsIsAsItSays() throws IOException {
        link("veth0", "up", Optional.of("0"));
        link("br0", "up", Optional.of("1"));
        lower("br0", "veth0");

        assertThat(read(Map.of("192.0.2.1", "br0")).getFirst()).isEqualTo(Link.UP);
    }

    @Test
    void aCableThatCannotBeToldIsNotDown() throws IOException {
        card("eth0", "0");
        link("eth1", "up", Optional.empty());
        Files.createDirectory(sys.resolve("eth1/device"));
        link("br0", "up", Optional.of("1"));
        lower("br0", "eth0");
        lower("br0", "eth1");

        assertThat(read(Map.of("192.0.2.1", "br0")).getFirst()).isEqualTo(Link.UNKNOWN);
    }

    @Test
    void anAddressThatNoInterfaceHasIsALinkThatIsDown() {
        assertThat(read(Map.of())).containsExactly(Link.DOWN, Link.DOWN);
    }

    @Test
    void whatCannotBeReadIsNotDown() {
        assertThat(read(Map.of("192.0.2.1", "eth0")).getFirst()).isEqualTo(Link.UNKNOWN);
        assertThat(new OwnLinks(sys, OwnLinksTest::refuses, List.of(FIRST)).read())
                .containsExactly(Link.UNKNOWN);
    }

    private static Optional<String> refuses(InetAddress address) throws SocketException {
        throw new SocketException("no answer about " + address);
    }

    @Test
    void theLoopbackOfThisMachineIsUp() {
        assertThat(new OwnLinks(List.of(address("127.0.0.1"))).read()).containsExactly(Link.UP);
    }
}
