package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.host.etcd.EtcdConfig.Limits;
import dev.tandem.host.etcd.EtcdConfig.Mode;
import dev.tandem.host.etcd.EtcdConfig.Ports;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.EtcdConfig.TlsFiles;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdConfigTest {
    private static final List<Mode> MODES =
            List.of(
                    new EtcdConfig.InPlace(),
                    new EtcdConfig.TakeOver(),
                    new EtcdConfig.Join(
                            List.of(URI.create("https://192.0.2.2:2380")),
                            List.of(other("north", "https://192.0.2.1:2380"))),
                    new EtcdConfig.Bootstrap("site-1"));

    @TempDir private Path directory;

    @Test
    void theRoleDoesNotChangeWhereEtcdListensOrWhomItTrusts() throws IOException {
        EtcdConfig config = config("192.0.2.2");
        List<JsonNode> files = new ArrayList<>();
        for (Mode mode : MODES) {
            files.add(rendered(config, mode));
        }
        for (Iterator<String> names = files.getFirst().fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (name.startsWith("listen") || name.contains("url") || name.contains("security")) {
                assertThat(files.stream().map(file -> file.path(name)).distinct())
                        .as(name)
                        .hasSize(1);
            }
        }
        assertThat(files.getFirst().path("listen-client-urls").asText())
                .isEqualTo("https://192.0.2.2:2379,https://127.0.0.1:2379");
        assertThat(
                        files.getFirst()
                                .path("peer-transport-security")
                                .path("client-cert-auth")
                                .asBoolean())
                .isTrue();
    }

    @Test
    void onlyATakeOverForcesAndOnlyAnInstallationFounds() throws IOException {
        for (Mode mode : MODES) {
            JsonNode file = rendered(config("192.0.2.2"), mode);
            assertThat(file.path("force-new-cluster").asBoolean())
                    .as(mode.toString())
                    .isEqualTo(mode instanceof EtcdConfig.TakeOver);
            assertThat(file.path("initial-cluster-state").asText().equals("new"))
                    .as(mode.toString())
                    .isEqualTo(mode instanceof EtcdConfig.Bootstrap);
        }
    }

    @Test
    void anIpv6AddressStandsInBracketsEverywhere() throws IOException {
        EtcdConfig config = config("2001:db8::2");

        assertThat(config.peerUrls())
                .containsExactly(URI.create("https://[2001:db8:0:0:0:0:0:2]:2380"));
        assertThat(rendered(config, MODES.getFirst()).path("listen-client-urls").asText())
                .isEqualTo(
                        "https://[2001:db8:0:0:0:0:0:2]:2379,https://[0:0:0:0:0:0:0:1]:2379,"
                                // The API server asks there, whatever the family of the nodes.
                                + "https://127.0.0.1:2379");
    }

    @Test
    void aJoinerListsTheOthersAsTheLeaderDoesEvenUnstartedOnes() throws IOException {
        EtcdApi.Member unstarted =
                new EtcdApi.Member(
                        new EtcdId(-1L),
                        "",
                        List.of(URI.create("https://192.0.2.9:2380")),
                        List.of(),
                        true);

        assertThat(
                        rendered(
                                        config("192.0.2.2"),
                                        new EtcdConfig.Join(
                                                List.of(URI.create("https://192.0.2.2:2380")),
                                                List.of(
                                                        other("north", "https://192.0.2.1:2380"),
                                                        unstarted)))
                                .path("initial-cluster")
                                .asText())
                .isEqualTo(
                        "south=https://192.0.2.2:2380,north=https://192.0.2.1:2380,"
                                + "ffffffffffffffff=https://192.0.2.9:2380");
    }

    @Test
    void everythingWrongIsSaidAtOnce() throws IOException {
        TlsFiles none = new TlsFiles(Path.of("/none/c"), Path.of("/none/k"), Path.of("/none/a"));
        EtcdConfig config =
                new EtcdConfig(
                        "so uth",
                        List.of(InetAddress.ofLiteral("0.0.0.0")),
                        new Ports(2379, 2379, 70_000),
                        Path.of("data"),
                        Optional.of(none),
                        Optional.of(none),
                        new Limits(1, Duration.ZERO, 1, 1));

        assertThat(
                        config.problems(
                                new EtcdConfig.Join(List.of(), List.of()),
                                new Timing(Duration.ofMillis(100), Duration.ofMillis(200))))
                .hasSize(17);
        assertThat(config("192.0.2.2").problems(MODES.getFirst(), Timing.NORMAL)).isEmpty();
    }

    @Test
    void aPortInUseIsFoundByListeningOnIt() throws IOException {
        InetSocketAddress address;
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            address =
                    new InetSocketAddress(
                            InetAddress.ofLiteral("127.0.0.1"), socket.getLocalPort());
            assertThat(EtcdUnitFile.busy(List.of(address))).containsExactly(address);
        }
        assertThat(EtcdUnitFile.busy(List.of(address))).isEmpty();
    }

    /** The resource agent, a shell file, finds by this line where to ask whether etcd moves. */
    @ParameterizedTest
    @CsvSource({"192.0.2.1, 127.0.0.1", "2001:db8::1, [0:0:0:0:0:0:0:1]"})
    void theAddressOfTheFiguresStandsOnALineOfItsOwn(String address, String loopback)
            throws IOException {
        assertThat(
                        config(address)
                                .render(new EtcdConfig.InPlace(), Timing.NORMAL, _ -> true)
                                .lines())
                .contains("  \"listen-metrics-urls\" : \"http://%s:2381\",".formatted(loopback));
    }

    @Test
    void withTwoLinksItListensOnBothAndIsListedUnderBoth() throws IOException {
        EtcdConfig config = config("192.0.2.2", "2001:db8::2");

        JsonNode file = rendered(config, new EtcdConfig.InPlace());
        String both = "https://192.0.2.2:2380,https://[2001:db8:0:0:0:0:0:2]:2380";
        assertThat(file.path("listen-peer-urls").asText()).isEqualTo(both);
        assertThat(file.path("initial-advertise-peer-urls").asText()).isEqualTo(both);
        assertThat(file.path("initial-cluster").asText())
                .isEqualTo(
                        "south=https://192.0.2.2:2380,"
                                + "south=https://[2001:db8:0:0:0:0:0:2]:2380");
        assertThat(file.path("listen-client-urls").asText())
                .isEqualTo(
                        "https://192.0.2.2:2379,https://[2001:db8:0:0:0:0:0:2]:2379,"
                                + "https://127.0.0.1:2379");
        assertThat(config.listens(_ -> true))
                .extracting(InetSocketAddress::getPort)
                .containsExactly(2380, 2379, 2380, 2379, 2379, 2381);
    }

    @Test
    void anAddressThatThisNodeLacksNowKeepsEtcdFromNothing() throws IOException {
        EtcdConfig config = config("192.0.2.2", "198.51.100.2");
        InetAddress left = InetAddress.ofLiteral("198.51.100.2");

        JsonNode file =
                new ObjectMapper()
                        .readTree(
                                config.render(
                                        new EtcdConfig.InPlace(), Timing.NORMAL, left::equals));

        assertThat(file.path("listen-peer-urls").asText()).isEqualTo("https://198.51.100.2:2380");
        assertThat(file.path("listen-client-urls").asText())
                .isEqualTo("https://198.51.100.2:2379,https://127.0.0.1:2379");
        assertThat(config.listens(left::equals))
                .noneMatch(each -> each.getHostString().equals("192.0.2.2"));
        assertThat(file.path("initial-advertise-peer-urls").asText())
                .as("it is back some day")
                .isEqualTo("https://192.0.2.2:2380,https://198.51.100.2:2380");
        assertThat(config.listens(_ -> false))
                .as("a start that fails says why")
                .isEqualTo(config.listens(_ -> true));
    }

    /** A leader of an older release lists one URL; etcd starts only with just that. */
    @Test
    void aJoinerNamesItselfAsItIsListedAndListensEverywhere() throws IOException {
        URI listed = URI.create("https://192.0.2.2:2380");
        EtcdConfig config = config("192.0.2.2", "198.51.100.2");

        JsonNode file =
                rendered(
                        config,
                        new EtcdConfig.Join(
                                List.of(listed),
                                List.of(other("north", "https://192.0.2.1:2380"))));

        assertThat(file.path("initial-advertise-peer-urls").asText()).isEqualTo(listed.toString());
        assertThat(file.path("initial-cluster").asText())
                .isEqualTo("south=https://192.0.2.2:2380,north=https://192.0.2.1:2380");
        assertThat(file.path("listen-peer-urls").asText())
                .isEqualTo("https://192.0.2.2:2380,https://198.51.100.2:2380");
    }

    private EtcdConfig config(String... addresses) throws IOException {
        Path file = directory.resolve("pem");
        Files.writeString(file, "");
        TlsFiles tls = new TlsFiles(file, file, file);
        return new EtcdConfig(
                "south",
                Stream.of(addresses).map(InetAddress::ofLiteral).toList(),
                Ports.STANDARD,
                directory.resolve("current"),
                Optional.of(tls),
                Optional.of(tls),
                Limits.STANDARD);
    }

    private static JsonNode rendered(EtcdConfig config, Mode mode) throws IOException {
        return new ObjectMapper().readTree(config.render(mode, Timing.NORMAL, _ -> true));
    }

    private static EtcdApi.Member other(String name, String url) {
        return new EtcdApi.Member(new EtcdId(1), name, List.of(URI.create(url)), List.of(), false);
    }
}
