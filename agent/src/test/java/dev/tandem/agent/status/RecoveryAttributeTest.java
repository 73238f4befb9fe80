package dev.tandem.agent.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.PeerChannelKind;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.host.Commands;
import dev.tandem.host.pacemaker.NodeAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What {@code crm_mon -A} shows of the truth. */
class RecoveryAttributeTest {
    private final List<String> written = new ArrayList<>();
    private Optional<String> attribute = Optional.empty();
    private boolean answers = true;
    private AgentStatus status = RecoveryAttributeTest.status(NodeHealth.REDUNDANT, true);
    private final RecoveryAttribute told =
            new RecoveryAttribute("node-0", new NodeAttributes(new Attrd()), () -> status);

    private static AgentStatus status(NodeHealth health, boolean eitherCanFail, Cause... causes) {
        return new AgentStatus(
                AgentMessages.VERSION,
                "",
                0,
                "node-0",
                "node-1",
                health,
                eitherCanFail,
                List.of(),
                List.of(),
                List.of(),
                new AgentStatus.PacemakerLine(true, true, true, false),
                PeerChannelKind.HTTPS,
                new AgentStatus.Recovery(
                        eitherCanFail,
                        Arrays.stream(causes).map(RecoveryAttributeTest::line).toList(),
                        List.of(),
                        null),
                null,
                null,
                null,
                null,
                "4f1c02aa",
                "lan",
                new AgentStatus.AgentLine(1));
    }

    private static AgentStatus.ImpedimentLine line(Cause cause) {
        return new AgentStatus.ImpedimentLine(cause, "node-1", null, "", "", 1, null, null);
    }

    private void looks(int times) {
        for (int i = 0; i < times; i++) {
            told.look();
        }
    }

    @Test
    void eachChangeThatLastsIsWrittenOnce() {
        looks(5);
        assertThat(written).containsExactly("yes");

        status = status(NodeHealth.REDUNDANT, false, Cause.BMC_REFUSES_PASSWORD, Cause.MAINTENANCE);
        looks(5);
        assertThat(written).containsExactly("yes", "no: BMC_REFUSES_PASSWORD (node-1)");

        status = status(NodeHealth.ALONE, false);
        looks(5);
        assertThat(written).endsWith("no: ALONE").hasSize(3);
    }

    @Test
    void whatEndsAtOnceIsNotWritten() {
        looks(2);
        status = status(NodeHealth.REDUNDANT, false, Cause.BMC_UNREACHABLE);
        looks(1);
        status = status(NodeHealth.REDUNDANT, true);
        looks(3);

        assertThat(written).containsExactly("yes");
    }

    /** Pacemaker has other work then. */
    @Test
    void nothingIsWrittenInTheMiddleOfARecovery() {
        looks(2);
        for (NodeHealth health :
                List.of(NodeHealth.DOWN, NodeHealth.LEARNING, NodeHealth.UNSEEN, NodeHealth.BUSY)) {
            status = status(health, false, Cause.NO_QUORUM);
            looks(20);
        }

        assertThat(written).containsExactly("yes");
    }

    @Test
    void whatARestartOfPacemakerDeletedIsWrittenAgainWithinAMinute() {
        looks(2);
        attribute = Optional.empty();
        looks((int) (Duration.ofMinutes(1).toMillis() / RecoveryAttribute.INTERVAL.toMillis()));

        assertThat(written).containsExactly("yes", "yes");
    }

    @Test
    void aPacemakerThatDoesNotAnswerIsTriedAgainAndSeldom() {
        answers = false;
        looks(14);
        assertThat(written).hasSizeBetween(1, 2);

        answers = true;
        written.clear();
        looks(14);
        assertThat(written).containsExactly("yes");
    }

    /** As attrd_updater of Pacemaker 3.0 answers. */
    private final class Attrd implements Commands {
        @Override
        public Output run(Duration limit, List<String> command, String stdin) {
            if (command.contains("--update")) {
                String value = command.get(command.indexOf("--update") + 1);
                written.add(value);
                if (answers) {
                    attribute = Optional.of(value);
                }
            }
            if (!answers) {
                return new Output(102, "", "Could not connect: Not connected");
            }
            return attribute
                    .map(value ->
                            new Output(
                                    0,
                                    "<pacemaker-result><attribute name=\"tandem-recovery\" value=\"%s\" host=\"node-0\"/></pacemaker-result>"
                                            .formatted(value),
                                    ""))
                    .orElseGet(() ->
                            new Output(78, "", "Could not query value: attribute does not exist"));
        }
    }
}
