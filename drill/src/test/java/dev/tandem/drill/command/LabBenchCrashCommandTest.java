package dev.tandem.drill.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.cli.Terminal;
import dev.tandem.drill.bench.BenchIncident;
import dev.tandem.drill.bench.CrashBench;
import dev.tandem.drill.bench.CrashFigures;
import dev.tandem.drill.client.KubeClients;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What the bench makes of what is typed, and of what it has measured. */
class LabBenchCrashCommandTest {
    private static LabBenchCrashCommand typed(String options) {
        LabBenchCrashCommand command = new LabBenchCrashCommand(Terminal.ofProcess());
        new CommandLine(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .parseArgs(options.split(" ", -1));
        return command;
    }

    /** With a plan that knew nothing of it, a split would switch both nodes off. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                "--bmc-off 6 --incident panic, 6, 6",
                "--bmc-off 6 --incident split, 6, 6",
                "--bmc-off 1, 1, 1",
                "--runs 3, 0, none",
            })
    void thePlanOfThePairKnowsHowSlowItsBmcsAre(
            String options, long simulated, @Nullable Long planned) {
        LabBenchCrashCommand command = typed(options);

        assertThat(command.bmc().offLatency()).hasSeconds(simulated);
        assertThat(command.plannedBmcOff())
                .isEqualTo(Optional.ofNullable(planned).map(Duration::ofSeconds));
    }

    @Test
    void theErrorOfEachPredictionIsPrinted() {
        List<CrashBench.Run> runs = List.of(run(2000), run(3000), run(6000));
        String text =
                new LabBenchCrashCommand.Result(
                                BenchIncident.POWER,
                                "default",
                                6,
                                0,
                                3,
                                3000,
                                0,
                                null,
                                CrashFigures.groups(
                                        BenchIncident.POWER, Duration.ofSeconds(6), runs),
                                null,
                                List.of(),
                                runs)
                        .asText();

        assertThat(text)
                .contains(
                        "error of the predicted first write: -50 -25 +50 %; p50 50 %, p90 50 %, max"
                                + " 50 %")
                .contains("error of the predicted api write: +0 +0 +0 %; p50 0 %")
                .contains("FINDING: the first write was predicted wrongly by 50 %");
    }

    private static CrashBench.Run run(long predicted) {
        return new CrashBench.Run(
                BenchIncident.POWER,
                0,
                "node-1",
                true,
                Map.of(
                        CrashBench.FIRST_WRITE,
                        4000L,
                        CrashBench.PREDICTED,
                        predicted,
                        KubeClients.API_WRITE,
                        5000L,
                        CrashBench.API_PREDICTED,
                        5000L),
                1,
                0,
                0,
                1000,
                0,
                List.of());
    }
}
