package dev.tandem.host.bmc;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A BMC whose login answers with a token of odd characters: never an exception. */
class OddTokenTest {
    private HttpServer bmc;
    private String token = "";

    /** Those that were sent back. */
    private final List<String> tokens = new CopyOnWriteArrayList<>();

    @BeforeEach
    void begin() throws IOException {
        bmc = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        bmc.createContext("/", this::answer);
        bmc.start();
    }

    @AfterEach
    void end() {
        bmc.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            tokens.addAll(exchange.getRequestHeaders().getOrDefault("X-Auth-Token", List.of()));
            boolean login = exchange.getRequestMethod().equals("POST");
            if (login) {
                exchange.getResponseHeaders().add("X-Auth-Token", token);
            }
            byte[] body =
                    """
                    {"Links":{"Sessions":{"@odata.id":"/redfish/v1/SessionService/Sessions"}},
                     "PowerState":"On","@odata.id":"/redfish/v1/Systems/1"}
                    """
                            .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(login ? 201 : 200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain-token", "with a space", "caf\u00e9", "bell\u0007"})
    void aTokenThatAHeaderCanCarryIsUsed(String odd) {
        assertThat(readWith(odd))
                .isInstanceOfSatisfying(
                        BmcAnswer.Read.class,
                        read -> assertThat(read.value()).isEqualTo(PowerState.ON));
    }

    /** Sent back, such a token would be denied, and that would look like a wrong password. */
    @ParameterizedTest
    @ValueSource(ints = {0, 10_000})
    void insteadOfATokenThatCannotBeOneThePasswordIsSent(int length) {
        assertThat(readWith("t".repeat(length)))
                .isInstanceOfSatisfying(
                        BmcAnswer.Read.class,
                        read -> assertThat(read.value()).isEqualTo(PowerState.ON));
        assertThat(tokens).isEmpty();
    }

    /** The JDK's client does not take such an answer at all, so nobody tries to send it back. */
    @ParameterizedTest
    @ValueSource(strings = {"end\u007f", "mid\u0007dle", "nul\u0000"})
    void oneThatItCannotCarryIsAnAnswerToo(String odd) {
        assertThat(readWith(odd)).isInstanceOf(BmcAnswer.class);
    }

    private BmcAnswer<PowerState> readWith(String odd) {
        token = odd;
        URI base = URI.create("http://127.0.0.1:" + bmc.getAddress().getPort());
        try (RedfishClient client =
                new RedfishClient(
                        new RedfishEndpoint(
                                base, Optional.of("/redfish/v1/Systems/1"), new TlsTrust.Anybody()),
                        new BmcCredentials("admin", "secret"))) {
            return client.read();
        }
    }
}
