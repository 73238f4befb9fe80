package dev.tandem.drill.command;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.LabStarter;
import dev.tandem.lab.command.ConsoleProgressListener;
import dev.tandem.lab.image.ProgressListener;
import dev.tandem.lab.image.TandemPackage;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabPaths;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.LabStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures how long a lab takes to come and go. */
@Command(
        name = "boot",
        header = "Measure lab up and lab down, phase by phase.",
        description = "Exits with 1 when a figure is past its objective.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab bench boot", "  tandem lab bench boot --runs 20 -o json"})
final class LabBenchBootCommand implements Callable<Integer> {
    private static final String BENCH_NAME = "bench-boot";
    private static final int MOST_RUNS = 1000;

    /** What the lab promises: warm, with the image at hand. */
    private static final double UP_OBJECTIVE_SECONDS = 15;

    private static final double DOWN_OBJECTIVE_SECONDS = 5;
    private static final double MEMORY_OBJECTIVE_MIB = 250;

    private final Terminal terminal;

    @Mixin private Output output = new Output();

    @Option(
            names = "--runs",
            defaultValue = "5",
            description = "Number of runs (default: ${DEFAULT-VALUE}).")
    private int runs;

    LabBenchBootCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** One line of the table. */
    record Figure(
            String what, String unit, int runs, double min, double p50, double p95, double max) {
        static Figure of(String what, String unit, List<Double> values) {
            List<Double> sorted = values.stream().sorted().toList();
            return new Figure(
                    what,
                    unit,
                    sorted.size(),
                    sorted.getFirst(),
                    percentile(sorted, 50),
                    percentile(sorted, 95),
                    sorted.getLast());
        }

        /** The smallest value that this percentage of the runs does not exceed. */
        static double percentile(List<Double> sorted, int percent) {
            int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
            return sorted.get(Math.max(0, rank - 1));
        }
    }

    @Override
    public Integer call() throws Exception {
        Numbers.check("runs", runs, MOST_RUNS, "tandem lab bench boot --runs 5");
        LabStarter starter = new LabStarter(LabPaths.ofHost(), Programs.ofHost());
        Optional<Path> deb = TandemPackage.find(null);
        Map<String, List<Double>> figures = new LinkedHashMap<>();
        try (ConsoleProgressListener shown = new ConsoleProgressListener(terminal)) {
            for (int run = 1; run <= runs; run++) {
                shown.step("run " + run + " of " + runs);
                Stopwatch watch = new Stopwatch(figures);
                LabStatus status = starter.up(LabSpec.twoNodes(BENCH_NAME), deb, watch);
                watch.end();
                for (LabStatus.Node node : status.nodes()) {
                    add(figures, "memory of a node", (double) node.memoryMib());
                }
                long begun = System.nanoTime();
                boolean _ = starter.down(BENCH_NAME, ProgressListener.SILENT);
                add(figures, "lab down", (System.nanoTime() - begun) / 1e9);
            }
            shown.done();
        }
        List<Figure> table =
                figures.entrySet().stream()
                        .map(entry ->
                                Figure.of(
                                        entry.getKey(),
                                        entry.getKey().startsWith("memory") ? "MiB" : "s",
                                        entry.getValue()))
                        .toList();
        output.print(terminal, "LabBenchBoot", table, LabBenchBootCommand::text);
        return table.stream().allMatch(LabBenchBootCommand::met) ? ExitCode.FINE : ExitCode.FINDING;
    }

    private static boolean met(Figure figure) {
        return switch (figure.what()) {
            case "lab up" -> figure.p95() < UP_OBJECTIVE_SECONDS;
            case "lab down" -> figure.p95() < DOWN_OBJECTIVE_SECONDS;
            case "memory of a node" -> figure.p95() < MEMORY_OBJECTIVE_MIB;
            default -> true;
        };
    }

    private static void add(Map<String, List<Double>> figures, String what, double value) {
        figures.computeIfAbsent(what, _ -> new ArrayList<>()).add(value);
    }

    private static String text(List<Figure> table) {
        StringBuilder text =
                new StringBuilder(
                        "%-34s %8s %8s %8s %8s%n".formatted("", "min", "p50", "p95", "max"));
        for (Figure figure : table) {
            text.append(
                    "%-34s %8.2f %8.2f %8.2f %8.2f %s%s%n"
                            .formatted(
                                    figure.what(),
                                    figure.min(),
                                    figure.p50(),
                                    figure.p95(),
                                    figure.max(),
                                    figure.unit(),
                                    met(figure) ? "" : "  past its objective"));
        }
        return text.toString();
    }

    /** Takes the time of each step of the start. */
    private static final class Stopwatch implements ProgressListener {
        private final Map<String, List<Double>> figures;
        private final long begun = System.nanoTime();
        private String step = "";
        private long stepBegun = begun;

        Stopwatch(Map<String, List<Double>> figures) {
            this.figures = figures;
        }

        @Override
        public void step(String what) {
            endStep();
            step = "  " + what;
            stepBegun = System.nanoTime();
        }

        private void endStep() {
            if (!step.isEmpty()) {
                add(figures, step, (System.nanoTime() - stepBegun) / 1e9);
            }
        }

        void end() {
            endStep();
            add(figures, "lab up", (System.nanoTime() - begun) / 1e9);
        }

        @Override
        public void detail(String text) {}

        @Override
        public void note(String line) {}
    }
}
