package dev.tandem.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.BmcAddress;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.PowerReport;
import dev.tandem.host.bmc.RedfishClient;
import dev.tandem.host.bmc.RedfishEndpoint;
import dev.tandem.host.bmc.TlsTrust;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that begins an answer and loses its power. */
@Timeout(60)
class BoundedHttpTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    /** Where the limit is not what it is about. */
    private static final Duration PLENTY = Duration.ofSeconds(30);

    private static final String BEGUN =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n";

    private ServerSocket server;
    private volatile String answer = BEGUN;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 8, InetAddress.ofLiteral("127.0.0.1"));
        Thread.ofVirtual()
                .start(() -> {
                    while (!server.isClosed()) {
                        try {
                            // Left open: nothing more is heard of it.
                            Socket one = server.accept();
                            one.getInputStream().read(new byte[4096]);
                            one.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                            one.getOutputStream().flush();
                        } catch (IOException e) {
                            return;
                        }
                    }
                });
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private HttpResponse<String> get(Duration limit) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            try {
                return BoundedHttp.send(
                        client,
                        HttpRequest.newBuilder(
                                        URI.create("http://127.0.0.1:" + server.getLocalPort()))
                                .timeout(limit)
                                .build(),
                        HttpResponse.BodyHandlers.ofString(),
                        limit);
            } finally {
                client.shutdownNow();
            }
        }
    }

    @Test
    void aBodyThatDoesNotComeIsNotWaitedForForEver() {
        assertThatThrownBy(() -> get(LIMIT)).isInstanceOf(HttpTimeoutException.class);
    }

    @Test
    void aWholeAnswerIsOne() throws Exception {
        answer = BEGUN + "0123456789";
        assertThat(get(PLENTY).body()).isEqualTo("0123456789");
    }

    @Test
    void nobodyListens() throws Exception {
        server.close();
        assertThatThrownBy(() -> get(PLENTY)).isInstanceOf(ConnectException.class);
    }

    @Test
    void aBmcThatStopsInTheMiddleOfAnAnswerIsUnreachable() {
        try (RedfishClient bmc =
                new RedfishClient(
                        RedfishEndpoint.of(
                                BmcAddress.of(
                                        "redfish+http://127.0.0.1:%d/redfish/v1/Systems/1"
                                                .formatted(server.getLocalPort())),
                                new TlsTrust.Anybody()),
                        new BmcCredentials("admin", "secret"))) {
            BmcAnswer<PowerReport> report = bmc.report(LIMIT);

            assertThat(report).isInstanceOf(BmcAnswer.Unknown.class);
            assertThat(((BmcAnswer.Unknown<PowerReport>) report).fault())
                    .isInstanceOf(BmcFault.Unreachable.class);
        }
    }
}
