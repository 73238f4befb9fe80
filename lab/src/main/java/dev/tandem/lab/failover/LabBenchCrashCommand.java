package dev.tandem.lab.failover;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Progress;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.Lab;
import dev.tandem.lab.LabSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures recovery from a power cut. */
@Command(
        name = "crash",
        header = "Cut the power of a node under load, again and again, and measure the recovery.",
        description = {
            "Starts a lab of its own, makes a pair of it, and ends it afterwards. Exits with 1 when"
                    + " an",
            "acknowledged write was lost, or the recovery took longer than the objective."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab bench crash --runs 10",
            "  tandem lab bench crash --runs 50 --victim leader --profile fast -o json"
        })
public final class LabBenchCrashCommand implements Callable<Integer> {
    private static final long P50_MILLIS = 5_000;
    private static final long P99_MILLIS = 10_000;

    private final Terminal terminal;

    @Mixin private Output output = new Output();

    @Option(names = "--name", defaultValue = "bench-crash", description = "The lab's name.")
    private String name = "bench-crash";

    @Option(
            names = "--runs",
            defaultValue = "5",
            description = "How often (default: ${DEFAULT-VALUE}).")
    private int runs;

    @Option(
            names = "--victim",
            defaultValue = "both",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private CrashBench.Victim victim = CrashBench.Victim.BOTH;

    @Option(
            names = "--profile",
            defaultValue = "default",
            description = "Timings: default, fast or tolerant (default: ${DEFAULT-VALUE}).")
    private String profile = "default";

    @Option(
            names = "--load",
            paramLabel = "N",
            defaultValue = "2",
            description = "Writes under way at a time (default: ${DEFAULT-VALUE}).")
    private int load;

    public LabBenchCrashCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The answer. */
    record Result(
            String profile,
            int runs,
            long acknowledged,
            long lost,
            List<CrashBench.Figure> phases,
            List<CrashBench.Run> crashes) {
        String asText() {
            StringBuilder text =
                    new StringBuilder(
                            "%d crashes, profile %s: %d writes acknowledged, %d lost%n%n"
                                    .formatted(runs, profile, acknowledged, lost));
            text.append("%-16s %8s %8s %8s %8s  ms%n".formatted("", "p50", "p90", "p99", "max"));
            for (CrashBench.Figure figure : phases) {
                text.append(
                        "%-16s %8d %8d %8d %8d%n"
                                .formatted(
                                        figure.phase(),
                                        figure.p50(),
                                        figure.p90(),
                                        figure.p99(),
                                        figure.max()));
            }
            return text.toString();
        }

        boolean met() {
            return lost == 0
                    && phases.stream()
                            .filter(figure -> figure.phase().equals("first write"))
                            .allMatch(figure ->
                                    figure.p50() <= P50_MILLIS && figure.p99() <= P99_MILLIS);
        }
    }

    @Override
    public Integer call() throws Exception {
        Progress progress = new Progress(terminal);
        Path keys = Files.createTempDirectory("tandem-bench");
        List<CrashBench.Run> crashes = new ArrayList<>();
        progress.step("starting lab " + name);
        try (Lab lab = Lab.start(LabSpec.twoNodes(name))) {
            progress.step("making a pair of it");
            CrashBench bench = new CrashBench(Pair.setUp(lab, profile, keys), load);
            for (int run = 0; run < runs; run++) {
                progress.step("crash %d of %d".formatted(run + 1, runs));
                crashes.add(bench.crash(victim, run));
            }
        }
        progress.close();
        Result result =
                new Result(
                        profile,
                        runs,
                        crashes.stream().mapToLong(CrashBench.Run::acknowledged).sum(),
                        crashes.stream().mapToLong(CrashBench.Run::lost).sum(),
                        CrashBench.figures(crashes),
                        crashes);
        output.print(terminal, "LabBenchCrash", result, Result::asText);
        return result.met() ? ExitCode.FINE : ExitCode.FINDING;
    }
}
