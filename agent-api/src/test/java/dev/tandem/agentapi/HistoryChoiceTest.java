package dev.tandem.agentapi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistoryChoiceTest {
    @ParameterizedTest
    @CsvSource({"NO_FORK, node-1", "PEER_DOES_NOT_SERVE, node-0"})
    void aRefusalNamesTheNodeItIsAbout(HistoryChoice.Refusal refusal, String about) {
        assertThat(refusal.why("node-1", "node-0")).contains(about).doesNotContain("{", "}");
    }
}
