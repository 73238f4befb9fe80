package dev.tandem.agent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.agent.bmc.PairWithBmc;
import dev.tandem.agent.cluster.Cluster;
import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.supervise.SupervisedNode;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.HistoryChoice;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.KeepHistoryRequest;
import dev.tandem.agentapi.PeerOffRequest;
import dev.tandem.agentapi.PeerOffStatement;
import dev.tandem.core.Failure;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.testing.Sketch;
import dev.tandem.host.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements of a person on north about south. */
class StatementRoutesTest {
    @TempDir Path state;

    private PairWithBmc pair;
    private SupervisedNode node;
    private final NotedCommands commands = new NotedCommands();
    private Optional<Duration> silence = Optional.of(Duration.ofSeconds(30));
    private StatementRoutes statements;

    @BeforeEach
    void begin() throws IOException {
        pair = new PairWithBmc(state);
        beginWith("two 1:7");
        node.hears("two 1:7 stopped");
        node.wait(Duration.ofSeconds(30));
        pair.south.machine.cutPower();
    }

    private void beginWith(String replica) {
        node = new SupervisedNode(state, replica);
        statements =
                new StatementRoutes(
                        Sketch.NORTH,
                        Sketch.SOUTH,
                        node.supervisor,
                        pair.sessions,
                        new Cluster(
                                commands,
                                Sketch.SOUTH,
                                new BootTimestamps(state.resolve("moments"))),
                        () -> silence,
                        InstantSource.system());
    }

    @AfterEach
    void end() throws IOException {
        node.close();
        pair.close();
    }

    private String incident() {
        return node.ask(() -> node.supervisor.view().incident().code());
    }

    private LocalServer.Answer peerIsOff(String about, String incident, boolean loss, boolean dry) {
        return statements.peerIsOff(
                AgentJson.line(new PeerOffRequest(about, incident, "anna", loss, dry)));
    }

    private LocalServer.Answer peerIsOff() {
        return peerIsOff("south", incident(), false, false);
    }

    private List<PeerProof.Statement> stated() {
        return node.events(JournalEvent.Stated.class).stream()
                .map(event -> event.statement().statement())
                .toList();
    }

    private void refused(String why, Runnable statement) {
        assertThatThrownBy(statement::run)
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.why()).contains(why);
                            assertThat(failure.remedy()).isNotBlank();
                        });
        assertThat(stated()).isEmpty();
        assertThat(commands.changes()).isEmpty();
    }

    // ---- the peer is off -----------------------------------------------------------------------

    @Test
    void aStatementIsTakenAndTheClusterTold() {
        String incident = incident();
        LocalServer.Answer answer = peerIsOff();

        assertThat(answer.status()).isEqualTo(200);
        assertThat(AgentMessages.read(answer.body(), PeerOffStatement.class))
                .isEqualTo(new PeerOffStatement("south", incident, PowerReading.OFF, false, true));
        assertThat(node.events(JournalEvent.Stated.class))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.statement().statement())
                            .isEqualTo(PeerProof.Statement.PEER_IS_OFF);
                    assertThat(event.statement().person()).isEqualTo("anna");
                    assertThat(event.statement().bmc()).isEqualTo(PowerReading.OFF);
                });
        assertThat(commands.changes()).containsExactly("stonith_admin --confirm south");
    }

    /** South was fenced, or stated to be off, and north serves alone. */
    @Test
    void whatNothingWaitsForIsNotRecorded() {
        assertThat(peerIsOff().status()).isEqualTo(200);
        int changes = commands.changes().size();
        node.peerIs(false);
        node.etcd.replica = Sketch.north("sole 1:7").replica();
        node.etcdIs(EtcdState.LEADING);

        PeerOffStatement answer = AgentMessages.read(peerIsOff().body(), PeerOffStatement.class);

        assertThat(answer.notNeeded()).isTrue();
        assertThat(answer.taken()).isFalse();
        assertThat(stated()).hasSize(1);
        assertThat(commands.changes()).hasSize(changes);
    }

    /** Nobody has proven that south is off, and Kubernetes waits for that. */
    @Test
    void whoServesAloneWithoutAProofMayStillState() {
        node.peerIs(false);
        node.etcd.replica = Sketch.north("sole 1:7").replica();
        node.etcdIs(EtcdState.LEADING);

        PeerOffStatement answer = AgentMessages.read(peerIsOff().body(), PeerOffStatement.class);

        assertThat(answer.notNeeded()).isFalse();
        assertThat(stated()).hasSize(1);
    }

    @Test
    void onlyWhoAcceptsLossHasAcceptedIt() {
        assertThat(peerIsOff("south", incident(), true, false).status()).isEqualTo(200);

        assertThat(stated()).containsExactly(PeerProof.Statement.PEER_IS_OFF_LOSS_ACCEPTED);
    }

    @Test
    void aClusterThatWaitsForAllNodesIsToldNotTo() {
        commands.waitsForAll = true;

        assertThat(peerIsOff().status()).isEqualTo(200);

        assertThat(commands.changes())
                .containsExactly(
                        "corosync-cmapctl -s quorum.cancel_wait_for_all u8 1",
                        "stonith_admin --confirm south");
    }

    @Test
    void aDryRunChangesNothing() {
        LocalServer.Answer answer = peerIsOff("south", incident(), true, true);

        assertThat(AgentMessages.read(answer.body(), PeerOffStatement.class).taken()).isFalse();
        assertThat(stated()).isEmpty();
        assertThat(commands.changes()).isEmpty();
    }

    @Test
    void aPeerWhoseBmcReadsOnIsNotOff() throws IOException {
        pair.south.machine.powerOn();

        refused("its BMC reads On", this::peerIsOff);
    }

    @Test
    void aPeerInTheMembershipIsNotOff() {
        commands.present = true;

        refused("south is in the membership", this::peerIsOff);
    }

    @Test
    void aPeerThatAnsweredAMomentAgoIsNotOff() {
        silence = Optional.of(Duration.ofSeconds(2));

        refused("answered a moment ago", this::peerIsOff);
    }

    @Test
    void aStatementAboutAnotherSituationIsNotTaken() {
        String before = incident();
        node.etcd.replica = Sketch.north("two 2n7:9").replica();
        node.etcdIs(EtcdState.STOPPED);
        assertThat(incident()).isNotEqualTo(before);

        refused("the situation has changed", () -> peerIsOff("south", before, true, false));
    }

    /** It stays wanted on the disk, so nobody may take it for refused. */
    @Test
    void aStatementThatIsNotStoredIsNotCalledRejected() {
        node.stores = false;

        assertThatThrownBy(this::peerIsOff)
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.what())
                                    .isEqualTo("statement about south is not stored yet");
                            assertThat(failure.why())
                                    .contains("the disk is full")
                                    .endsWith("it may still take effect");
                            assertThat(failure.remedy()).contains("df /var/lib/tandem");
                        });
        assertThat(commands.changes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"north", "east", ""})
    void aStatementAboutAnotherNodeIsNotTaken(String about) {
        refused("the peer of north is south", () -> peerIsOff(about, incident(), false, false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "no JSON", "{\"version\":1,\"node\":\"south\"}"})
    void whatIsNotUnderstoodIsNotTaken(String body) {
        refused("", () -> statements.peerIsOff(body));
        refused("", () -> statements.keepPeersHistory(body));
    }

    // ---- the peer's history is kept ------------------------------------------------------------

    private LocalServer.Answer keep(String about, String incident, boolean dry) {
        return statements.keepPeersHistory(
                AgentJson.line(new KeepHistoryRequest(about, incident, "anna", dry)));
    }

    private void forked(String peer) {
        node.close();
        beginWith("sole 2n6:9");
        node.hears(peer);
    }

    @Test
    void theChoiceSaysWhatIsKeptAndWhatIsGivenUp() {
        forked("sole 2s6:8 leading");

        LocalServer.Answer answer = keep("south", incident(), false);

        assertThat(AgentMessages.read(answer.body(), HistoryChoice.class))
                .isEqualTo(
                        new HistoryChoice(
                                incident(),
                                new HistoryChoice.Side("south", 2, 8),
                                new HistoryChoice.Side("north", 2, 9),
                                6));
        assertThat(stated()).containsExactly(PeerProof.Statement.KEEP_PEERS_HISTORY);
    }

    @Test
    void aDryRunOfTheChoiceChangesNothing() {
        forked("sole 2s6:8 leading");

        assertThat(keep("south", "", true).status()).isEqualTo(200);
        assertThat(stated()).isEmpty();
    }

    @Test
    void withoutTwoHistoriesThereIsNothingToChoose() {
        refused("sees only one history", () -> keep("south", incident(), false));
    }

    @Test
    void aHistoryThatNobodyServesIsNotChosen() {
        forked("sole 2s6:8");

        refused("south does not serve", () -> keep("south", incident(), false));
    }

    @Test
    void aChoiceForAnotherSituationIsNotTaken() {
        forked("sole 2s6:8 leading");

        refused("the situation has changed", () -> keep("south", "an earlier one", false));
    }

    /** A history is given up on the node that has it. */
    @Test
    void whoNamesThisNodeIsSentToThePeer() {
        forked("sole 2s6:8 leading");

        assertThatThrownBy(() -> keep("north", incident(), false))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure ->
                                assertThat(failure.remedy())
                                        .isEqualTo("on south: tandem keep-history north"));
        assertThat(stated()).isEmpty();
    }

    /** Corosync of paper, and Pacemaker that takes what it is told. */
    private static final class NotedCommands implements Commands {
        private final List<String> run = new ArrayList<>();
        private boolean present;
        private boolean waitsForAll;

        @Override
        public Output run(Duration limit, List<String> command, String stdin) {
            run.add(String.join(" ", command));
            return new Output(
                    0, command.getFirst().equals("corosync-quorumtool") ? quorum() : "", "");
        }

        private String quorum() {
            return """
            Quorum information
            ------------------
            Quorum provider:  corosync_votequorum
            Nodes:            1
            Node ID:          1
            Ring ID:          1.2f
            Quorate:          %s

            Votequorum information
            ----------------------
            Expected votes:   2
            Flags:            2Node %s

            Membership information
            ----------------------
                Nodeid      Votes    Qdevice Name
                     1          1         NR north (local)
            %s
            """
                    .formatted(
                            waitsForAll ? "No" : "Yes",
                            waitsForAll ? "WaitForAll" : "Quorate WaitForAll",
                            present ? "         2          1         NR south" : "");
        }

        List<String> changes() {
            return run.stream().filter(line -> !line.startsWith("corosync-quorumtool")).toList();
        }
    }
}
