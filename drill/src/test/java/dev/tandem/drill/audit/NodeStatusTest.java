package dev.tandem.drill.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.tandem.agentapi.AgentJson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeStatusTest {
    private static NodeStatus read(String json) {
        try {
            return NodeStatus.of(AgentJson.MAPPER.readTree(json));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    REDUNDANT | ``                                             | true
                    REDUNDANT | ,"recovery":{"automatic":true,"impediments":[]}  | true
                    REDUNDANT | ,"recovery":{"automatic":false,"impediments":[]} | false
                    ALONE     | ``                                             | false
                    UNSEEN    | ,"recovery":{"automatic":true,"impediments":[]}  | false
                    """)
    void aPromiseNeedsBothHealthAndRecovery(String health, String recovery, boolean promises) {
        NodeStatus status =
                read("{\"health\":\"%s\",\"sentence\":\"so\"%s}".formatted(health, recovery));

        assertThat(status.promises()).isEqualTo(promises);
        assertThat(status.blind()).isEqualTo(health.equals("UNSEEN"));
    }

    @Test
    void anImpedimentIsRead() {
        NodeStatus status =
                read(
                        """
                        {"health":"REDUNDANT","sentence":"so","prediction":{"millis":3900},
                        "recovery":{"automatic":false,"impediments":[
                        {"cause":"BMC_SILENT","node":"node-1","sentence":"its BMC is silent","remedy":"mend it"}]}}
                        """);

        assertThat(status.namesACause()).isTrue();
        assertThat(status.predictedMillis()).isEqualTo(3900);
        assertThat(status.impediments())
                .containsExactly(
                        new NodeStatus.Impediment(
                                "BMC_SILENT", "node-1", "its BMC is silent", "mend it"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"health\":\"REDUNDANT\"}",
                "{\"health\":7,\"sentence\":\"so\"}",
                "{\"health\":\"REDUNDANT\",\"sentence\":\"so\",\"recovery\":null}",
                "{\"health\":\"REDUNDANT\",\"sentence\":\"so\",\"recovery\":{}}",
                "{\"health\":\"REDUNDANT\",\"sentence\":\"so\",\"recovery\":{\"automatic\":\"yes\",\"impediments\":[]}}",
                "{\"health\":\"REDUNDANT\",\"sentence\":\"so\",\"recovery\":{\"automatic\":true}}",
                "{\"health\":\"REDUNDANT\",\"sentence\":\"so\",\"recovery\":{\"automatic\":false,\"impediments\":[{}]}}"
            })
    void whatIsNotAsAgreedIsRefused(String json) {
        assertThatThrownBy(() -> read(json)).isInstanceOf(IllegalArgumentException.class);
    }
}
