package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.PeerChannelKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What a program reads that asks with {@code -o json} is what the agent says. */
class StatusOutputTest {
    @Test
    void theStatusOfTheAgentPassesThrough() {
        AgentStatus status =
                new AgentStatus(
                        AgentMessages.VERSION,
                        "so it is",
                        0,
                        "node-0",
                        "node-1",
                        NodeHealth.ALONE,
                        false,
                        List.of(),
                        List.of(),
                        List.of(),
                        new AgentStatus.PacemakerLine(true, true, false, false),
                        PeerChannelKind.CLUSTER_ATTRIBUTES,
                        new AgentStatus.Recovery(true, List.of(), List.of(), null),
                        null,
                        null,
                        null,
                        null,
                        "4f1c02aa",
                        "lan",
                        new AgentStatus.AgentLine(1));
        ScreenTerminal screen = ScreenTerminal.unattended();

        CommandLine.populateCommand(new Output(), "-o", "json")
                .print(screen.terminal(), "NodeStatus", status, AgentStatus::sentence);

        assertThat(AgentStatus.readExactly(screen.out())).isEqualTo(status);
    }
}
