package dev.tandem.agent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.AgentRoutes;
import dev.tandem.agentapi.PeerOffRequest;
import dev.tandem.agentapi.PeerOffStatement;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.core.Failure;
import dev.tandem.core.decision.PowerReading;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client hears of what the agent answers. */
class LocalServerTest {
    private static final PeerOffRequest REQUEST =
            new PeerOffRequest("node-1", "4f1c02aa", "root", true, true);

    @TempDir private Path directory;

    private LocalServer serve(LocalServer.Handler handler) {
        return LocalServer.open(
                socket(), "rw-------", Optional.empty(), LocalServer.Limits.ALERTS, handler);
    }

    private Path socket() {
        return directory.resolve("agent.sock");
    }

    private Failure failureOf(LocalServer.Handler handler) {
        try (LocalServer _ = serve(handler)) {
            return catchThrowableOfType(
                    Failure.class, () -> new AgentClient(socket()).confirmPeerOff(REQUEST));
        }
    }

    @Test
    void aRequestAndItsAnswer() {
        try (LocalServer _ =
                serve((method, path, body) -> {
                    assertThat(method + " " + path)
                            .isEqualTo("POST " + AgentRoutes.CONFIRM_PEER_OFF);
                    PeerOffRequest read = AgentMessages.readExactly(body, PeerOffRequest.class);
                    assertThat(read).isEqualTo(REQUEST);
                    return LocalServer.Answer.json(
                            new PeerOffStatement(
                                    read.node(), read.incident(), PowerReading.OFF, true, false));
                })) {
            assertThat(new AgentClient(socket()).confirmPeerOff(REQUEST))
                    .isEqualTo(
                            new PeerOffStatement(
                                    "node-1", "4f1c02aa", PowerReading.OFF, true, false));
        }
    }

    @Test
    void aRefusalIsToldWithItsReasonAndItsRemedy() {
        Failure failure =
                failureOf((_, _, _) -> {
                    throw new Failure("not taken", "its BMC reads On", "look at node-1 again");
                });

        assertThat(failure.what()).isEqualTo("not taken");
        assertThat(failure.why()).isEqualTo("its BMC reads On");
        assertThat(failure.remedy()).isEqualTo("look at node-1 again");
    }

    @Test
    void aPathThatTheAgentDoesNotKnowIsAFailureToo() {
        Failure failure =
                failureOf((_, path, _) ->
                        new LocalServer.Answer(404, "text/plain", "there is no " + path + "\n"));

        assertThat(failure.why()).isEqualTo("there is no /confirm-peer-off");
    }

    @Test
    void anAnswerOfALaterVersionSaysWhoIsNewer() {
        Failure failure =
                failureOf((_, _, _) ->
                        new LocalServer.Answer(200, "application/json", "{\"version\":2}\n"));

        assertThat(failure.why()).startsWith("the agent is newer than this command line");
    }

    private static final LocalServer.Handler FINE = (_, _, _) -> LocalServer.Answer.text("fine");

    @Test
    void aBodyThatIsTooLongIsNotRead() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (LocalServer _ =
                serve((_, _, _) -> {
                    asked.incrementAndGet();
                    return LocalServer.Answer.text("");
                })) {
            assertThat(said("POST /alert HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n"))
                    .startsWith("HTTP/1.1 413");
            assertThat(said("POST /alert HTTP/1.1\r\nX: " + "x".repeat(9_000)))
                    .startsWith("HTTP/1.1 431");
        }
        assertThat(asked).hasValue(0);
    }

    /** Callers that say nothing take all the connections there are, for as long as they may. */
    @Test
    void whoSaysNothingIsHungUpOnAndOthersAreHeardAgain() throws IOException {
        try (LocalServer _ = serve(FINE)) {
            List<SocketChannel> silent = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                SocketChannel connection = SocketChannel.open(StandardProtocolFamily.UNIX);
                connection.connect(UnixDomainSocketAddress.of(socket()));
                silent.add(connection);
            }
            await().atMost(LocalServer.REQUEST.plusSeconds(10))
                    .until(() -> said("GET / HTTP/1.1\r\n\r\n").contains("200 OK"));
            for (SocketChannel connection : silent) {
                connection.close();
            }
        }
    }

    private String said(String request) throws IOException {
        try (SocketChannel connection = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            connection.connect(UnixDomainSocketAddress.of(socket()));
            connection.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            return new String(
                    Channels.newInputStream(connection).readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return "hung up: " + e.getMessage();
        }
    }
}
