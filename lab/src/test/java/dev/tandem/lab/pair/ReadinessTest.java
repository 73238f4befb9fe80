package dev.tandem.lab.pair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.AgentStatus;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What keeps a pair whose servers both serve from being able to lose one. */
class ReadinessTest {
    private static AgentStatus status(String node, boolean eitherCanFail) {
        return AgentMessages.readExactly(
                """
                {"version":1,"node":"%s","sentence":"it serves","health":"REDUNDANT",
                 "eitherNodeCanFail":%s,"recovery":{"automatic":%s,"impediments":[%s]}}
                """
                        .formatted(
                                node,
                                eitherCanFail,
                                eitherCanFail,
                                eitherCanFail
                                        ? ""
                                        : "{\"cause\":\"FENCING_OFF\",\"node\":\"\",\"sentence\":\"fencing"
                                              + " is switched"
                                              + " off\",\"remedy\":\"\",\"sinceMillis\":1}"),
                AgentStatus.class);
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
