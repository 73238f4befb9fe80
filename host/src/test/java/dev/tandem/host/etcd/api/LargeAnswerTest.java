package dev.tandem.host.etcd.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A server gone mad, or somebody in its place, that never stops answering. */
class LargeAnswerTest {
    @Test
    void anAnswerThatIsTooLargeIsNotTakenIn() throws IOException {
        AtomicLong sent = new AtomicLong();
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        server.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        exchange.getRequestBody().readAllBytes();
                        exchange.sendResponseHeaders(200, 0);
                        OutputStream body = exchange.getResponseBody();
                        byte[] piece = new byte[1 << 16];
                        while (sent.get() < 256L << 20) {
                            body.write(piece);
                            sent.addAndGet(piece.length);
                        }
                    }
                });
        server.start();
        try (HttpEtcdApi api =
                HttpEtcdApi.plain(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort()))) {
            assertThat(api.status(Duration.ofSeconds(20)).isOk()).isFalse();
        } finally {
            server.stop(0);
        }
        // What the kernel's buffers hold comes on top.
        assertThat(sent.get()).isLessThan(2 * HttpEtcdApi.MOST_ANSWER_BYTES);
    }
}
