package dev.tandem.host.etcd.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tandem.host.testing.LoopbackPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server with an address on each of two links, one of which is down. */
class SeveralEndpointsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final AtomicInteger asked = new AtomicInteger();
    private HttpServer answering;
    private URI good;

    @BeforeEach
    void start() throws IOException {
        answering =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        answering.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        asked.incrementAndGet();
                        exchange.getRequestBody().readAllBytes();
                        byte[] body = "{\"leader\":\"1\"}".getBytes(StandardCharsets.UTF_8);
                        exchange.sendResponseHeaders(200, body.length);
                        exchange.getResponseBody().write(body);
                    }
                });
        answering.start();
        good = URI.create("http://127.0.0.1:" + answering.getAddress().getPort());
    }

    @AfterEach
    void stop() {
        answering.stop(0);
    }

    @Test
    void whereOneAddressLeadsNowhereTheNextIsAskedAndIsFirstFromThenOn() {
        URI refused = URI.create("http://127.0.0.1:" + LoopbackPorts.next());
        try (HttpEtcdApi api = HttpEtcdApi.plain(List.of(refused, good))) {
            assertThat(api.endpoint()).isEqualTo(refused);

            assertThat(api.status(LIMIT).isOk()).isTrue();

            assertThat(api.endpoint()).isEqualTo(good);
        }
    }

    /** A change may have happened: it is asked for once, and the next request goes elsewhere. */
    @Test
    void whatIsNotAnsweredIsNotSentTwice() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
                HttpEtcdApi api =
                        HttpEtcdApi.plain(
                                List.of(
                                        URI.create("http://127.0.0.1:" + silent.getLocalPort()),
                                        good))) {
            // It has to be sent in that time, by the first client of this JVM.
            assertThat(api.remove(new EtcdId(2), Duration.ofSeconds(3)))
                    .isInstanceOf(EtcdAnswer.Unclear.class);
            assertThat(asked).hasValue(0);

            assertThat(api.status(LIMIT).isOk()).isTrue();
        }
    }

    @Test
    void whereNoneAnswersTheFirstIsNamed() {
        answering.stop(0);
        URI refused = URI.create("http://127.0.0.1:" + LoopbackPorts.next());
        try (HttpEtcdApi api = HttpEtcdApi.plain(List.of(refused, good))) {
            EtcdAnswer<EtcdApi.Status> answer = api.status(LIMIT);

            assertThat(answer).isInstanceOf(EtcdAnswer.Unreachable.class);
            assertThat(answer.words()).contains(refused.toString());
            assertThat(answer.timedOut()).isFalse();
        }
    }
}
