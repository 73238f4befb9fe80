package dev.tandem.agentapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.AgentStatus.DeviceUse;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.health.EtcdAlarm;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Replica;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The messages as the first release writes them. Files are added here and never changed: programs
 * of that release are still to be understood, and still to understand.
 */
class GoldenMessagesTest {
    private static Path directory() {
        try {
            return Path.of(GoldenMessagesTest.class.getResource("/golden/1").toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory())) {
            // A message a file; the journal beside them has a test of its own.
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".json"))
                    .map(file -> file.replace(".json", ""))
                    .sorted()
                    .toList();
        }
    }

    private static String text(String name) throws IOException {
        return Files.readString(directory().resolve(name + ".json"));
    }

    private static Class<? extends Record> kindOf(String name) {
        return switch (name) {
            case "peer-off-request" -> PeerOffRequest.class;
            case "peer-off-statement", "peer-off-not-needed" -> PeerOffStatement.class;
            case "keep-history-request" -> KeepHistoryRequest.class;
            case "history-choice" -> HistoryChoice.class;
            case "request-refused" -> RequestRefused.class;
            default -> AgentStatus.class;
        };
    }

    private static AgentStatus status(String name) throws IOException {
        return AgentMessages.read(text(name), AgentStatus.class);
    }

    @ParameterizedTest
    @MethodSource("names")
    void whatWasWrittenIsReadAndWrittenAgain(String name) throws IOException {
        JsonNode golden = AgentJson.MAPPER.readTree(text(name));
        String line = AgentJson.line(read(name));
        List<String> lost = new ArrayList<>();
        collectLost(golden, AgentJson.MAPPER.readTree(line), "", lost);

        assertThat(lost).as("fields that are gone or read otherwise").isEmpty();
        assertThat(AgentMessages.readExactly(line, kindOf(name))).isEqualTo(read(name));
    }

    /** The agent acts on requests, and guesses nothing; of an answer a part may be missing. */
    private static Record read(String name) throws IOException {
        return name.endsWith("-request")
                ? AgentMessages.readExactly(text(name), kindOf(name))
                : AgentMessages.read(text(name), kindOf(name));
    }

    private static void collectLost(
            JsonNode golden, JsonNode written, String path, List<String> lost) {
        if (golden.isContainerNode() && golden.getNodeType() == written.getNodeType()) {
            golden.properties()
                    .forEach(each ->
                            collectLost(
                                    each.getValue(),
                                    written.path(each.getKey()),
                                    path + "/" + each.getKey(),
                                    lost));
            for (int i = 0; golden.isArray() && i < golden.size(); i++) {
                collectLost(golden.get(i), written.path(i), path + "/" + i, lost);
            }
        } else if (!golden.equals(written)) {
            lost.add("%s: %s became %s".formatted(path, golden, written));
        }
    }

    @Test
    void aHealthyPair() throws IOException {
        AgentStatus status = status("status-healthy");

        assertThat(status.version()).isEqualTo(1);
        assertThat(status.health()).isEqualTo(NodeHealth.REDUNDANT);
        assertThat(status.eitherNodeCanFail()).isTrue();
        assertThat(status.promisesRecovery()).isTrue();
        assertThat(status.own().orElseThrow().etcd()).isEqualTo(EtcdState.LEADING);
        assertThat(status.own().orElseThrow().role()).isEqualTo(Replica.MemberRole.ONE_OF_TWO);
        assertThat(status.agentsTalkOver()).isEqualTo(PeerChannelKind.HTTPS);
        assertThat(status.fencing())
                .allMatch(bmc -> bmc.identity() == BmcIdentity.SAME && bmc.fault() == null);
    }

    @Test
    void theDevicesOfEachWayToABmc() throws IOException {
        AgentStatus status = status("status-fence-devices");

        assertThat(status.fencing().getFirst().devices())
                .containsExactly(
                        new AgentStatus.DeviceLine("tandem-fence-node-0", 1, DeviceUse.USABLE),
                        new AgentStatus.DeviceLine("tandem-redfish-node-0", 3, DeviceUse.BROKEN));
        assertThat(status.fencing().get(1).devices())
                .containsExactly(
                        new AgentStatus.DeviceLine("tandem-ipmilan-node-0", 2, DeviceUse.DISABLED));
        assertThat(status("status-healthy").fencing().getFirst().devices())
                .as("of an older agent")
                .isNull();
    }

    @Test
    void aNodeThatServesAlone() throws IOException {
        AgentStatus status = status("status-alone");

        assertThat(status.health()).isEqualTo(NodeHealth.ALONE);
        assertThat(status.promisesRecovery()).isFalse();
        assertThat(status.nodes().getLast().abdicated()).isEqualTo(AbdicationKind.DEPARTED);
        assertThat(status.fencing().getLast().power()).isEqualTo(PowerReading.OFF);
        assertThat(status.kubernetes())
                .extracting(AgentStatus.KubernetesLine::state)
                .isEqualTo(KubernetesState.PEER_OUT_OF_SERVICE);
    }

    /** Whatever a peer that is off did last, it does it no more. */
    @Test
    void aPeerThatIsOff() throws IOException {
        AgentStatus.NodeLine peer = status("status-peer-off").nodes().getLast();

        assertThat(peer.present()).isFalse();
        assertThat(peer.etcd()).isNull();
        assertThat(peer.lastEtcd()).isEqualTo(EtcdState.FOLLOWING);
    }

    @Test
    void aLearner() throws IOException {
        AgentStatus status = status("status-learning");

        assertThat(status.health()).isEqualTo(NodeHealth.LEARNING);
        assertThat(status.own().orElseThrow().role()).isEqualTo(Replica.MemberRole.LEARNER);
        assertThat(status.own().orElseThrow().lag()).isEqualTo(1200);
    }

    @Test
    void impediments() throws IOException {
        AgentStatus status = status("status-impediments");

        assertThat(status.promisesRecovery()).isFalse();
        assertThat(status.recovery().impediments())
                .singleElement()
                .extracting(AgentStatus.ImpedimentLine::cause)
                .isEqualTo(Impediment.Cause.BMC_REFUSES_PASSWORD);
        assertThat(status.fencing().getLast().fault()).isEqualTo(BmcFaultKind.DENIED);
        assertThat(status.fencing().getLast().identity()).isEqualTo(BmcIdentity.DIFFERENT);
    }

    @Test
    void whatEndsSoonAndWhatIsFull() throws IOException {
        AgentStatus soon = status("status-certificate-ends");
        AgentStatus full = status("status-disk-full");

        assertThat(soon.promisesRecovery()).isTrue();
        assertThat(soon.eitherNodeCanFail()).isTrue();
        assertThat(soon.recovery().warnings())
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.cause()).isEqualTo(Impediment.Cause.CERTIFICATE_ENDS_SOON);
                    assertThat(line.sentenceTellsDuration()).isTrue();
                });
        assertThat(full.promisesRecovery()).isFalse();
        assertThat(full.recovery().impediments())
                .extracting(AgentStatus.ImpedimentLine::cause)
                .containsExactly(Impediment.Cause.DISK_FULL, Impediment.Cause.CERTIFICATE_INVALID);
    }

    @Test
    void whatIsWaitedForAndWhatIsRefused() throws IOException {
        AgentStatus.PendingLine waits = Objects.requireNonNull(status("status-waiting").pending());
        AgentStatus.PendingLine refuses =
                Objects.requireNonNull(status("status-refusing").pending());

        assertThat(waits.waitsFor()).isEqualTo(WaitFor.FENCING);
        assertThat(waits.owner()).isEqualTo(WaitFor.Owner.FENCING);
        assertThat(waits.limitMillis()).isEqualTo(70_000);
        assertThat(refuses.refuses()).isEqualTo(Refusal.FORKED);
        assertThat(refuses.owner()).isEqualTo(WaitFor.Owner.PERSON);
        assertThat(status("status-refusing").own().orElseThrow().replica())
                .isEqualTo(ReplicaKind.DAMAGED);
        assertThat(status("status-alarm").alarms()).containsExactly(EtcdAlarm.NOSPACE);
        assertThat(status("status-busy").health()).isEqualTo(NodeHealth.BUSY);
    }

    @Test
    void requestsAndAnswers() throws IOException {
        assertThat(AgentMessages.readExactly(text("peer-off-request"), PeerOffRequest.class))
                .isEqualTo(new PeerOffRequest("node-1", "4f1c02aa", "root", false, true));
        assertThat(AgentMessages.read(text("peer-off-statement"), PeerOffStatement.class))
                .isEqualTo(
                        new PeerOffStatement(
                                "node-1", "4f1c02aa", PowerReading.UNKNOWN, false, false));
        assertThat(AgentMessages.read(text("peer-off-not-needed"), PeerOffStatement.class))
                .isEqualTo(
                        PeerOffStatement.notNeeded("node-1", "4f1c02aa", PowerReading.OFF, false));
        assertThat(
                        AgentMessages.readExactly(
                                text("keep-history-request"), KeepHistoryRequest.class))
                .isEqualTo(new KeepHistoryRequest("node-1", "4f1c02aa", "root", false));
        assertThat(AgentMessages.read(text("history-choice"), HistoryChoice.class))
                .isEqualTo(
                        new HistoryChoice(
                                "4f1c02aa",
                                new HistoryChoice.Side("node-1", 3, 48213),
                                new HistoryChoice.Side("node-0", 2, 48111),
                                48100));
        assertThat(AgentMessages.read(text("request-refused"), RequestRefused.class).asFailure())
                .hasMessage("not taken as a statement about node-1: its BMC reads On");
    }
}
