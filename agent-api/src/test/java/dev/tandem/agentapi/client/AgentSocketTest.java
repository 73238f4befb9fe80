package dev.tandem.agentapi.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.agentapi.AgentRoutes;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a question comes to on a socket that somebody else holds. */
@Timeout(60)
class AgentSocketTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofMillis(200);

    @TempDir private Path directory;

    private Path socket() {
        return directory.resolve("agent.sock");
    }

    private ServerSocketChannel listen() throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket()));
        return server;
    }

    /** Sends this in pieces to the caller, and ends the connection if it is told to. */
    private static Thread answer(ServerSocketChannel server, boolean ends, String... pieces) {
        return Thread.ofVirtual()
                .start(() -> {
                    try {
                        SocketChannel channel = server.accept();
                        channel.read(ByteBuffer.allocate(4096));
                        for (String piece : pieces) {
                            channel.write(ByteBuffer.wrap(piece.getBytes(StandardCharsets.UTF_8)));
                            Thread.sleep(20);
                        }
                        if (ends) {
                            channel.close();
                        }
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    private AgentSocket.Answer ask(Duration limit) throws IOException {
        return new AgentSocket(socket()).get(AgentRoutes.STATUS, limit);
    }

    @Test
    void anAnswerInPieces() throws Exception {
        try (ServerSocketChannel server = listen()) {
            answer(server, true, "HTTP/1.1 200 OK\r\nA: b", "\r\n\r\nw", "hole");

            assertThat(ask(LONG)).isEqualTo(new AgentSocket.Answer(200, "whole"));
        }
    }

    @Test
    void aRefusalHasItsCode() throws Exception {
        try (ServerSocketChannel server = listen()) {
            answer(server, true, "HTTP/1.1 404 Not Found\r\n\r\nno such page");

            AgentSocket.Answer refusal = ask(LONG);
            assertThat(refusal).isEqualTo(new AgentSocket.Answer(404, "no such page"));
            assertThat(refusal.isOk()).isFalse();
        }
    }

    /** The kernel takes the connection of a process that is stopped. */
    @Test
    void whoNeverAnswersIsNotWaitedForForEver() throws Exception {
        try (ServerSocketChannel _ = listen()) {
            assertThatThrownBy(() -> ask(SOON)).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void anAnswerWithoutAnEndIsNotWaitedForForEver() throws Exception {
        try (ServerSocketChannel server = listen()) {
            answer(server, false, "HTTP/1.1 200 OK\r\n\r\nhalf");

            assertThatThrownBy(() -> ask(SOON)).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void anAnswerThatBreaksOffIsNone() throws Exception {
        try (ServerSocketChannel server = listen()) {
            answer(server, true, "HTTP/1.1 200 OK\r\nContent-");

            assertThatThrownBy(() -> ask(LONG)).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void nobodyListens() throws Exception {
        assertThatThrownBy(() -> ask(LONG)).isInstanceOf(ConnectException.class);
        listen().close();
        assertThatThrownBy(() -> ask(LONG)).isInstanceOf(ConnectException.class);
    }
}
