package dev.tandem.drill.command;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Progress;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.UsageException;
import dev.tandem.core.Failure;
import dev.tandem.drill.DrillRunner;
import dev.tandem.drill.agents.AgentKiller;
import dev.tandem.drill.report.Outcome;
import dev.tandem.drill.report.Report;
import dev.tandem.drill.scenario.Scenario;
import dev.tandem.drill.scenario.Scenarios;
import dev.tandem.host.IoErrors;
import dev.tandem.lab.Lab;
import dev.tandem.lab.command.KeepCache;
import dev.tandem.lab.command.LabName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Rehearses incidents. */
@Command(
        name = "drill",
        header = "Rehearse incidents on a pair while a client writes, and audit each.",
        description = {
            "Starts a lab of its own (or several), sets up a pair in it, runs the named scenarios"
                    + " one",
            "after the other, and ends the lab. After each, nothing acknowledged may be missing,"
                    + " and the pair",
            "must be as before. Exits with 1 when a scenario failed."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab drill list",
            "  tandem lab drill leader-loses-power split",
            "  tandem lab drill all --quick",
            "  tandem lab drill split --rounds 10",
            "  tandem lab drill all --labs 2 --report drill-report -o json",
            "  tandem lab drill all --labs 2 --kill-agents --seed 7"
        })
public final class LabDrillCommand implements Callable<Integer> {
    private static final String ALL = "all";
    private static final String LIST = "list";

    /** A pair wants a core or so while it is set up. */
    private static final int MOST_LABS = 8;

    /** Of the shortest scenario, some hours. */
    private static final int MOST_ROUNDS = 1_000;

    private final Terminal terminal;

    @Mixin private Output output = new Output();

    @Parameters(
            arity = "1..*",
            paramLabel = "SCENARIO",
            completionCandidates = Names.class,
            description = "Names of scenarios, 'all', or 'list' to see which there are.")
    private List<String> names = List.of();

    @Option(
            names = "--quick",
            description = "With 'all': only the scenarios that run with every build.")
    private boolean quick;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description = "Write report.html and report.json there, updated after each scenario.")
    private @Nullable Path report;

    @Option(
            names = "--name",
            paramLabel = "LAB",
            description = "The lab's name (default: drill, or drill-2 and so on beside others).")
    private @Nullable String name;

    @Option(
            names = "--profile",
            defaultValue = "default",
            description = "Timings: default, fast or tolerant (default: ${DEFAULT-VALUE}).")
    private String profile = "default";

    @Option(
            names = "--labs",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Number of pairs to run on at a time; two suit two cores (default:"
                            + " ${DEFAULT-VALUE}).")
    private int labs = 1;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of times to play each scenario (default: ${DEFAULT-VALUE}).")
    private int rounds = 1;

    @Mixin private KillAgents agents = new KillAgents();

    @Mixin private KeepCache cache = new KeepCache();

    public LabDrillCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** What may be typed; looked up only when somebody asks, since every command starts this. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.concat(Stream.of(ALL, LIST), Scenarios.all().stream().map(Scenario::name))
                    .iterator();
        }
    }

    /** A line of the list. */
    record Listed(String name, String title, List<String> covers, String pace, long seconds) {
        static Listed of(Scenario scenario) {
            return new Listed(
                    scenario.name(),
                    scenario.title(),
                    scenario.covers(),
                    scenario.pace().name().toLowerCase(Locale.ROOT),
                    scenario.expected().toSeconds());
        }
    }

    @Override
    public Integer call() throws Exception {
        if (names.equals(List.of(LIST))) {
            List<Listed> all =
                    Scenarios.all().stream()
                            .filter(scenario -> !quick || scenario.isQuick())
                            .map(Listed::of)
                            .toList();
            output.print(terminal, "LabDrillList", all, LabDrillCommand::text);
            return ExitCode.FINE;
        }
        LabName.requireProfile(profile);
        Numbers.check("labs", labs, MOST_LABS, "tandem lab drill all --labs 2");
        Numbers.check("rounds", rounds, MOST_ROUNDS, "tandem lab drill split --rounds 10");
        if (report != null && Files.exists(report) && !Files.isDirectory(report)) {
            throw new UsageException(
                    "cannot write a report into " + report,
                    "it is there and is not a directory",
                    "name a directory, which is created if it is missing");
        }
        List<Scenario> chosen =
                Collections.nCopies(rounds, chosen()).stream().flatMap(List::stream).toList();
        Report made = run(chosen);
        output.print(terminal, "LabDrill", made, Report::asText);
        return made.passed() ? ExitCode.FINE : ExitCode.FINDING;
    }

    private List<Scenario> chosen() {
        if (names.equals(List.of(ALL))) {
            return quick ? Scenarios.quick() : Scenarios.all();
        }
        if (quick || names.contains(ALL) || names.contains(LIST)) {
            throw new UsageException(
                    "contradictory choice of scenarios",
                    "'all' and 'list' are used alone, and --quick only with them",
                    "for example: tandem lab drill all --quick");
        }
        return LabName.typed(() -> names.stream().map(Scenarios::byName).toList());
    }

    private Report run(List<Scenario> chosen) throws IOException, InterruptedException {
        List<String> pairs = names(chosen.size());
        Progress progress = new Progress(terminal);
        Progress.Step step =
                progress.step(
                        "%d scenario%s on %d lab%s"
                                .formatted(
                                        chosen.size(),
                                        chosen.size() == 1 ? "" : "s",
                                        pairs.size(),
                                        pairs.size() == 1 ? "" : "s"));
        try {
            List<Outcome> outcomes =
                    new DrillRunner(
                                    pairs,
                                    profile,
                                    cache.kept(),
                                    agents.seed(),
                                    step,
                                    progress::note,
                                    this::write)
                            .run(chosen);
            progress.close();
            Report made =
                    Report.of(
                            profile,
                            AgentKiller.findings(
                                    agents.wanted(),
                                    outcomes.stream().mapToInt(Outcome::agentKills).sum()),
                            outcomes);
            write(made);
            return made;
        } finally {
            progress.abandon();
        }
    }

    /** Not more labs than scenarios, and none that there is already. */
    private List<String> names(int scenarios) {
        String first = name == null ? Lab.freeName("drill") : name;
        List<String> all = new ArrayList<>(List.of(first));
        for (int i = 2; i <= Math.min(labs, scenarios); i++) {
            all.add(Lab.freeName(first + "-" + i));
        }
        return all;
    }

    private void write(List<Outcome> outcomes) {
        write(Report.of(profile, outcomes));
    }

    private void write(Report made) {
        Path directory = report;
        if (directory == null) {
            return;
        }
        try {
            made.write(directory);
        } catch (IOException e) {
            throw new Failure(
                    "cannot write the report to " + directory,
                    IoErrors.words(e),
                    "check free space and permissions there",
                    e);
        }
    }

    private static String text(List<Listed> all) {
        StringBuilder text = new StringBuilder();
        for (Listed one : all) {
            text.append(
                    "%-34s %-5s %4d s  %-14s %s%n"
                            .formatted(
                                    one.name(),
                                    one.pace(),
                                    one.seconds(),
                                    String.join(" ", one.covers()),
                                    one.title()));
        }
        return text.toString();
    }
}
