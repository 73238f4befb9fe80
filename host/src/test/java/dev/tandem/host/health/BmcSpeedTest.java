package dev.tandem.host.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.testing.PrintedCommands;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BmcSpeedTest {
    private static Optional<Duration> seconds(String text) {
        return text.equals("-")
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(Math.round(Double.parseDouble(text) * 1000)));
    }

    private static Impediments of(String planned, String off, String answer) {
        return BmcSpeed.of(
                "node-1",
                seconds(planned).orElseThrow(),
                Duration.ofSeconds(20),
                seconds(off),
                seconds(answer));
    }

    @ParameterizedTest
    @CsvSource({"6, -, 6", "6.1, -, 7", "6.1, 0.9, 8", "0, -, 0"})
    void theFigureThatFitsIsThatOfTheWarning(String off, String answer, long fits) {
        assertThat(BmcSpeed.fittingSeconds(seconds(off).orElseThrow(), seconds(answer)))
                .isEqualTo(fits);
        assertThat(of(String.valueOf(fits), off, answer).warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    plan | switching off | answer | told
                    # nothing is known, or all is well
                    3    | -             | -      | nothing
                    3    | 2.5           | 0.2    | nothing
                    3    | 3             | -      | nothing
                    3    | -             | 1.5    | nothing
                    # each figure alone, and both together
                    3    | 6.1           | -      | set bmcOff: 7s in the plan, then: tandem cluster apply PLAN.yaml
                    3    | -             | 4      | set bmcOff: 8s in the plan, then: tandem cluster apply PLAN.yaml
                    3    | 2.5           | 0.4    | set bmcOff: 4s in the plan, then: tandem cluster apply PLAN.yaml
                    8    | 6.1           | 0.9    | nothing
                    8    | 6.1           | 1      | set bmcOff: 9s in the plan, then: tandem cluster apply PLAN.yaml
                    # for which no plan can be made
                    20   | 19            | 1      | restart this BMC or update its firmware: no plan allows for more than bmcOff: 20s
                    """)
    void isToldWithTheFigureThatThePlanNeeds(
            String planned, String off, String answer, String told) {
        Impediments found = of(planned, off, answer);

        assertThat(found.automatic()).as("it fences all the same").isTrue();
        assertThat(found.warnings().stream().map(Impediment::remedy).findFirst().orElse("nothing"))
                .isEqualTo(told);
        assertThat(found.warnings())
                .allSatisfy(warning -> {
                    assertThat(warning.cause()).isEqualTo(Cause.BMC_SLOWER_THAN_PLAN);
                    assertThat(warning.node()).isEqualTo("node-1");
                    assertThat(PrintedCommands.faults(warning.sentence() + ".")).isEmpty();
                    assertThat(PrintedCommands.faults(warning.remedy())).isEmpty();
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    6.1 | 0.4 | switching off took 6.1 s, an answer takes 0.4 s
                    6.1 | -   | switching off took 6.1 s
                    -   | 4   | an answer takes 4.0 s
                    """)
    void saysWhatWasMeasured(String off, String answer, String measured) {
        assertThat(of("3", off, answer).warnings().getFirst().sentence())
                .isEqualTo(
                        "the BMC of node-1 is slower than the plan says (%s; bmcOff: 3.0 s): if the nodes lose each other, both could be switched off"
                                .formatted(measured));
    }
}
