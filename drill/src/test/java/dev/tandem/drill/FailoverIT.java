package dev.tandem.drill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.drill.report.Outcome;
import dev.tandem.drill.report.Report;
import dev.tandem.drill.scenario.Scenario;
import dev.tandem.drill.scenario.Scenarios;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.LabSpec.AddressFamily;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The quick scenarios on real Corosync, Pacemaker and etcd, all on one pair; what {@code tandem lab
 * drill all --quick} plays. Then two of them on a pair with IPv6 alone, and on one with two links
 * of different families, which then also loses each of its links. The report lies in {@code
 * target/drill}.
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
        return Scenarios.quick().stream().map(scenario -> test(DRILL, scenario));
    }

    /** What depends on addresses: who is heard, fenced and joined again. */
    @ParameterizedTest
    @CsvSource({"it-ipv6, IPV6, 1", "it-links, DUAL, 2"})
    void otherNetworks(String lab, AddressFamily addresses, int links)
            throws IOException, InterruptedException {
        LabSpec spec = LabSpec.twoNodes(lab).withAddresses(addresses).withLinks(links);
        try (Drill drill = new Drill(spec, "default", Optional.empty(), _ -> {})) {
            for (String name : List.of("leader-loses-power", "split")) {
                play(drill, Scenarios.byName(name));
            }
            if (links > 1) {
                play(drill, Scenarios.byName("one-link-of-two-lost"));
            }
        }
    }

    private static DynamicTest test(Drill drill, Scenario scenario) {
        return DynamicTest.dynamicTest(
                scenario.name() + ": " + scenario.title(), () -> play(drill, scenario));
    }

    private static void play(Drill drill, Scenario scenario)
            throws IOException, InterruptedException {
        Outcome outcome = drill.run(scenario);
        PLAYED.add(outcome);
        assertThat(outcome.findings()).as(scenario.name()).isEmpty();
    }
}
