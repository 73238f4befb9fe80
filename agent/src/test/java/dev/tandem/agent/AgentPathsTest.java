package dev.tandem.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.client.AgentClient;
import org.junit.jupiter.api.Test;

class AgentPathsTest {
    @Test
    void clientsLookForTheSocketWhereTheAgentPutsIt() {
        assertThat(AgentClient.SOCKET)
                .isEqualTo(AgentPaths.STANDARD.run().resolve(AgentClient.SOCKET.getFileName()));
    }
}
