package dev.tandem.lab.pair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.PeerChannelKind;
import dev.tandem.core.health.Impediment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What keeps a pair whose servers both serve from being able to lose one. */
class ReadinessTest {
    private static final AgentStatus.ImpedimentLine FENCING_OFF =
            new AgentStatus.ImpedimentLine(
                    Impediment.Cause.FENCING_OFF,
                    "",
                    null,
                    "fencing is switched off",
                    "",
                    1,
                    null,
                    null);

    private static AgentStatus status(String node, boolean eitherCanFail) {
        return new AgentStatus(
                AgentMessages.VERSION,
                "it serves",
                0,
                node,
                Pair.peerOf(node),
                NodeHealth.REDUNDANT,
                eitherCanFail,
                List.of(),
                List.of(),
                List.of(),
                new AgentStatus.PacemakerLine(true, true, true, false),
                PeerChannelKind.HTTPS,
                new AgentStatus.Recovery(
                        eitherCanFail,
                        eitherCanFail ? List.of() : List.of(FENCING_OFF),
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

    @Test
    void bothHaveToSayThatEitherCanFail() {
        Readiness ready = Readiness.of(node -> Optional.of(status(node, true)));
        Readiness half = Readiness.of(node -> Optional.of(status(node, node.equals("node-0"))));

        assertThat(ready.eitherCanFail()).isTrue();
        assertThat(ready.inTheWay()).isEmpty();
        assertThat(half.isRedundant()).isTrue();
        assertThat(half.eitherCanFail()).isFalse();
        assertThat(half.inTheWay())
                .isEqualTo("node-1 says \"it serves\" (FENCING_OFF: fencing is switched off)");
    }

    @Test
    void whoDoesNotAnswerIsInTheWay() {
        Readiness none = Readiness.of(_ -> Optional.empty());

        assertThat(none.isRedundant()).isFalse();
        assertThat(none.eitherCanFail()).isFalse();
        assertThat(none.inTheWay()).isEqualTo("node-0 does not answer; node-1 does not answer");
    }
}
