package dev.tandem.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.testing.Sketch;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DecisionTableTest {
    static Stream<DecisionTable.Row> rows() {
        return DecisionTable.rows().stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void decides(DecisionTable.Row row) {
        Situation situation =
                Sketch.situation(
                        row.shape(),
                        row.mine(),
                        row.peer(),
                        row.cluster(),
                        row.proofs(),
                        row.intent());
        assertThat(Sketch.name(StartDecision.decide(situation))).isEqualTo(row.decision());
    }
}
