package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.agentapi.PeerOffStatement;
import dev.tandem.core.decision.PowerReading;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tandem confirm-peer-off} on node-0, asked of an agent that answers so. */
class ConfirmPeerOffTest {
    private static final String STATUS =
            "{\"version\":1,\"node\":\"node-0\",\"peer\":\"node-1\",\"incident\":\"4f1c02aa\"}";
    private static final String NOT_NEEDED =
            AgentJson.line(
                    PeerOffStatement.notNeeded("node-1", "4f1c02aa", PowerReading.OFF, false));

    @TempDir private Path directory = Path.of("");

    private final ScreenTerminal screen = ScreenTerminal.unattended();

    private int run(List<String> answers, String... options) throws Exception {
        Path socket = directory.resolve("agent.sock");
        try (ServerSocketChannel agent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            agent.bind(UnixDomainSocketAddress.of(socket));
            Thread.ofVirtual().start(() -> answer(agent, answers));
            List<String> arguments =
                    new ArrayList<>(
                            List.of("confirm-peer-off", "node-1", "--socket", socket.toString()));
            arguments.addAll(List.of(options));
            return screen.run(arguments.toArray(String[]::new));
        }
    }

    private static void answer(ServerSocketChannel agent, List<String> answers) {
        for (String answer : answers) {
            try (SocketChannel asked = agent.accept()) {
                asked.read(ByteBuffer.allocate(4096));
                asked.write(StandardCharsets.UTF_8.encode("HTTP/1.1 200 OK\r\n\r\n" + answer));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void aMistypedNameIsWrongUsageAndNothingIsStated() throws Exception {
        assertThat(run(List.of(STATUS), "--typed", "node-l")).isEqualTo(ExitCode.USAGE);
        assertThat(screen.err().lines())
                .containsExactly(
                        "tandem confirm-peer-off: nothing was stated",
                        "cause: 'node-l' was typed, the node is node-1",
                        "fix: tandem confirm-peer-off node-1");
    }

    @Test
    void whatNothingWaitsForIsNotNeeded() throws Exception {
        assertThat(run(List.of(STATUS, NOT_NEEDED), "--typed", "node-1")).isEqualTo(ExitCode.FINE);
        assertThat(screen.out())
                .isEqualTo("not needed: node-0 already serves alone; nothing was recorded\n");
    }

    /** Nobody is asked to type a name for it. */
    @Test
    void whatIsNotNeededIsNotAskedFor() throws Exception {
        assertThat(run(List.of(STATUS, NOT_NEEDED), "-o", "json")).isEqualTo(ExitCode.FINE);

        JsonNode answer = new JsonMapper().readTree(screen.out());
        assertThat(answer.path("notNeeded").asBoolean()).isTrue();
        assertThat(answer.path("taken").asBoolean()).isFalse();
    }
}
