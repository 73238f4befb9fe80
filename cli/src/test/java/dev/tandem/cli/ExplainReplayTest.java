package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.replay.RecordedLine;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.decision.OwnLog;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replay.PlanLimits;
import dev.tandem.core.replay.Recorded;
import dev.tandem.core.replay.Response;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.DurableState;
import dev.tandem.core.supervise.EtcdOrder;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.ServerObservation;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
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
                    new ArrayList<>(
                            List.of(
                                    "explain",
                                    "--socket",
                                    socket.toString(),
                                    "--state",
                                    directory.toString()));
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
        assertThat(answer.at("/events/recorded").asBoolean(true)).isFalse();
    }

    private static final PlanLimits LIMITS =
            new PlanLimits(Policy.PAIR, Duration.ofSeconds(10), Duration.ofSeconds(6));
    private static final Moment NOW = new Moment(7);

    /** A state and one event: Pacemaker starts etcd, and this is what the agent did then. */
    private void recorded(Response did) throws IOException {
        State state =
                Supervisor.begin(
                                new State.Node(Sketch.NORTH, Sketch.SOUTH, Sketch.NORTH_BOOT),
                                DurableState.blank(Sketch.NORTH_BOOT),
                                new ServerObservation(
                                        0,
                                        EtcdState.STOPPED,
                                        Sketch.north("two 1:7").replica(),
                                        false,
                                        false,
                                        new Listed.Nowhere(),
                                        WholeLog.CAN_BE_COMMITTED,
                                        0,
                                        0,
                                        ""),
                                Supervisor.Marks.NONE,
                                NOW)
                        .state();
        Instant time = Instant.parse("2026-01-02T03:04:05Z");
        Response does =
                Response.of(
                        Supervisor.on(state, new Event.StartRequested(), NOW, LIMITS.policy())
                                .actions());
        List<Recorded> lines =
                List.of(
                        new Recorded.Began(1, time, LIMITS, state),
                        new Recorded.Took(
                                2,
                                time,
                                NOW,
                                new Event.StartRequested(),
                                did.equals(SAME_AS_NOW) ? does : did));
        Files.writeString(
                directory.resolve("events.jsonl"),
                lines.stream()
                        .map(RecordedLine::json)
                        .collect(Collectors.joining("\n", "", "\n")));
    }

    private static final Response SAME_AS_NOW = new Response(List.of(), List.of());
    private static final Response STARTED_AT_ONCE =
            new Response(
                    List.of(new Action.Etcd(9, new EtcdOrder.StartInPlace(false))), List.of());

    @Test
    void recordedEventsAreReplayedBeforeTheDecisions() throws Exception {
        recorded(SAME_AS_NOW);

        Answer answer = run("{\"lines\":[%s]}".formatted(SAME), "--replay");

        assertThat(answer.code()).isEqualTo(ExitCode.FINE);
        assertThat(answer.out())
                .startsWith(
                        "1 recorded event replayed: 1 the same, 0 different; 0 events not"
                                + " replayed\n\n1 decision replayed");
    }

    @Test
    void anEventFromWhichSomethingElseFollowsIsAFinding() throws Exception {
        recorded(STARTED_AT_ONCE);

        Answer answer = run("{\"lines\":[%s]}".formatted(SAME), "--replay");

        assertThat(answer.code()).isEqualTo(ExitCode.FINDING);
        assertThat(answer.out().lines())
                .contains(
                        "1 recorded event replayed: 0 the same, 1 different; 0 events not"
                                + " replayed",
                        "2026-01-02 03:04:05  when Pacemaker asked to start etcd",
                        "    then:          starts etcd");
    }

    @Test
    void anAgentThatRecordedNothingIsNotTakenForOneThatAgrees() throws Exception {
        assertThat(run("{\"lines\":[%s]}".formatted(SAME), "--replay").out())
                .startsWith("no events are recorded on this node");
    }
}
