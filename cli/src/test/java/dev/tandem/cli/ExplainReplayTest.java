package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.OwnLog;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.testing.Sketch;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tandem explain --replay}, asked of an agent that has this journal. */
class ExplainReplayTest {
    private static final OwnLog.Read LOG = new OwnLog.Read(WholeLog.CAN_BE_COMMITTED, false);
    private static final Situation FENCED =
            Sketch.situation(
                    "pair", "two 1:7/5 leaderless", "two 1:7", "gone known", "fenced", "recover");
    private static final String SAME = line("2026-01-02T03:04:05Z", LOG.decide(FENCED));
    private static final String OTHER = line("2026-01-02T03:04:06.5Z", WaitFor.FENCING.decision());
    private static final String TORN = "{\"event\":\"torn-line\"}";

    @TempDir private Path directory;

    private record Answer(int code, String out) {}

    private static String line(String time, Decision decision) {
        return JournalLine.now(
                        Instant.parse(time),
                        new JournalEvent.Decided("south is silent", decision, FENCED, LOG))
                .json();
    }

    private Answer run(String journal, String... options) throws Exception {
        Path socket = directory.resolve("agent.sock");
        try (ServerSocketChannel agent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            agent.bind(UnixDomainSocketAddress.of(socket));
            Thread answers = Thread.ofVirtual().start(() -> answer(agent, journal));
            List<String> arguments =
                    new ArrayList<>(List.of("explain", "--socket", socket.toString()));
            arguments.addAll(List.of(options));
            ScreenTerminal screen = ScreenTerminal.unattended();
            int code = screen.run(arguments.toArray(String[]::new));
            answers.join();
            return new Answer(code, screen.out());
        } finally {
            Files.deleteIfExists(socket);
        }
    }

    private static void answer(ServerSocketChannel agent, String journal) {
        try (SocketChannel asked = agent.accept()) {
            asked.read(ByteBuffer.allocate(4096));
            asked.write(StandardCharsets.UTF_8.encode("HTTP/1.1 200 OK\r\n\r\n" + journal));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theExitCodeSaysWhetherAllAreTheSame() throws Exception {
        assertThat(run("{\"lines\":[%s]}".formatted(SAME), "--replay").code())
                .isEqualTo(ExitCode.FINE);
        assertThat(run("{\"lines\":[%s,%s]}".formatted(SAME, OTHER), "--replay").code())
                .isEqualTo(ExitCode.FINDING);
        assertThat(run("{\"lines\":[%s,%s]}".formatted(SAME, TORN), "--replay").code())
                .isEqualTo(ExitCode.FINDING);
        assertThat(run("{\"lines\":[%s,%s]}".formatted(OTHER, SAME), "--replay", "--last", "1"))
                .extracting(Answer::code)
                .isEqualTo(ExitCode.FINE);
        assertThat(run("{\"lines\":[%s,%s]}".formatted(SAME, OTHER)).code())
                .as("without --replay nothing is compared")
                .isEqualTo(ExitCode.FINE);
    }

    @Test
    void anAnswerThatBreaksOffIsNoJournalWithoutDecisions() throws Exception {
        assertThat(run("{\"lines\":[%s,".formatted(SAME), "--replay").code())
                .isEqualTo(ExitCode.COULD_NOT_ASK);
    }

    @Test
    void programsReadTheDecisionsAsTheJournalHasThem() throws Exception {
        JsonNode answer =
                new JsonMapper()
                        .readTree(
                                run(
                                                "{\"lines\":[%s,%s]}".formatted(OTHER, TORN),
                                                "--replay",
                                                "-o",
                                                "json")
                                        .out());

        assertThat(answer.path("kind").asText()).isEqualTo("JournalReplay");
        assertThat(answer.path("lines").asInt()).isEqualTo(2);
        assertThat(answer.path("replayed").asInt()).isEqualTo(1);
        assertThat(answer.path("same").asInt()).isZero();
        assertThat(answer.at("/differences/0/time").asText()).isEqualTo("2026-01-02T03:04:06.500Z");
        assertThat(answer.at("/differences/0/then/decision/what").asText()).isEqualTo("FENCING");
        assertThat(answer.at("/differences/0/now/0/decision/is").asText())
                .isEqualTo("StartAsSoleVoter");
        assertThat(answer.at("/notReplayed/0/event").asText()).isEqualTo("torn-line");
        assertThat(answer.at("/notReplayed/0").has("time")).isFalse();
    }
}
