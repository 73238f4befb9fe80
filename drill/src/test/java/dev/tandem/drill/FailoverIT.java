package dev.tandem.drill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.drill.report.Outcome;
import dev.tandem.drill.report.Report;
import dev.tandem.drill.scenario.Scenarios;
import dev.tandem.lab.spec.LabSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The quick scenarios on real Corosync, Pacemaker and etcd, all on one pair; what {@code tandem lab
 * drill all --quick} plays. The report lies in {@code target/drill}.
 */
class FailoverIT {
    private static final Drill DRILL =
            new Drill(LabSpec.twoNodes("it-failover"), "default", Optional.empty(), _ -> {});
    private static final List<Outcome> PLAYED = new ArrayList<>();

    @AfterAll
    static void endTheLab() throws IOException {
        try (DRILL) {
            Report.of("default", PLAYED).write(Path.of("target/drill"));
        }
    }

    @TestFactory
    Stream<DynamicTest> quickScenarios() {
        return Scenarios.quick().stream()
                .map(scenario ->
                        DynamicTest.dynamicTest(
                                scenario.name() + ": " + scenario.title(),
                                () -> {
                                    Outcome outcome = DRILL.run(scenario);
                                    PLAYED.add(outcome);
                                    assertThat(outcome.findings()).isEmpty();
                                }));
    }
}
