package dev.tandem.drill.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.drill.audit.Moment;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A bound that is a promise fails a drill when it is missed. */
class JudgedFigureTest {
    /** Keeps what it is told; there is no pair. */
    private static final class Kept implements Expectations {
        private final List<String> findings = new ArrayList<>();
        private final List<Duration> figures = new ArrayList<>();

        @Override
        public boolean finds(boolean holds, String what) {
            if (!holds) {
                findings.add(what);
            }
            return holds;
        }

        @Override
        public void figure(String what, Duration measured, Duration bound) {
            figures.add(measured);
        }

        @Override
        public Pair pair() {
            throw new IllegalStateException("there is no pair");
        }

        @Override
        public Moment began() {
            return Moment.now();
        }

        @Override
        public Writer writer() {
            throw new IllegalStateException("there is no client");
        }
    }

    @ParameterizedTest
    @CsvSource({"4000, 0", "5000, 0", "5001, 1", "10000, 1"})
    void beyondItsBoundIsAFinding(long millis, int findings) {
        Kept kept = new Kept();

        kept.judgedFigure("the address follows", Duration.ofMillis(millis), Duration.ofSeconds(5));

        assertThat(kept.figures).hasSize(1);
        assertThat(kept.findings).hasSize(findings);
    }
}
