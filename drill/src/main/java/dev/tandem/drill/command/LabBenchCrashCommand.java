package dev.tandem.drill.command;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Progress;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.UsageException;
import dev.tandem.core.Failure;
import dev.tandem.drill.agents.AgentKiller;
import dev.tandem.drill.bench.BenchIncident;
import dev.tandem.drill.bench.CrashBench;
import dev.tandem.drill.bench.CrashFigures;
import dev.tandem.drill.bench.CrashPicture;
import dev.tandem.drill.bench.PlainKubernetes;
import dev.tandem.drill.client.KubeClients;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.lab.ExpectationFailed;
import dev.tandem.lab.Lab;
import dev.tandem.lab.command.ConsoleProgressListener;
import dev.tandem.lab.command.KeepCache;
import dev.tandem.lab.kube.KubePrograms;
import dev.tandem.lab.kube.LabKube;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.redfishsim.BmcBehaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures recovery. */
@Command(
        name = "crash",
        header = "Cut the power of a node under load, again and again, and measure the recovery.",
        description = {
            "Starts a lab of its own, sets up a pair in it, and ends it afterwards. Exits with 1"
                    + " when an",
            "acknowledged write was lost, a node was fenced too often or too seldom, an audit found"
                    + " something,",
            "the recovery took longer than the objective, or half of what was predicted of it was"
                    + " wrong",
            "by more than 30 %%."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab bench crash --runs 10",
            "  tandem lab bench crash --runs 50 --victim leader --profile fast -o json",
            "  tandem lab bench crash --incident split --runs 20 --picture split.svg",
            "  tandem lab bench crash --incident split --runs 30 --kill-agents",
            "  tandem lab bench crash --runs 5 --db-size 0,100MB,1GB",
            "  tandem lab bench crash --runs 5 --bmc-off 6 --bmc-on 46",
            "  tandem lab bench crash --runs 5 --compare-plain"
        })
public final class LabBenchCrashCommand implements Callable<Integer> {
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,6})(MB|GB)?");

    /** The largest database, its copy that is kept at a rejoin, a snapshot and the log. */
    private static final int DISK_PER_DATABASE = 4;

    /** Seconds; a lab node boots in 3 s otherwise, and no machine does. */
    private static final int BOOT_WITH_PODS = 20;

    /** Of runs, and of writes at a time: a day, and more than a lab bears. */
    private static final int MOST = 1000;

    private final Terminal terminal;

    @Mixin private Output output = new Output();

    @Option(
            names = "--name",
            paramLabel = "LAB",
            defaultValue = "bench-crash",
            description = "The lab's name.")
    private String name = "bench-crash";

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "5",
            description = "Number of runs for each size (default: ${DEFAULT-VALUE}).")
    private int runs;

    @Option(
            names = "--incident",
            paramLabel = "INCIDENT",
            defaultValue = "power",
            description = "What happens: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private BenchIncident incident = BenchIncident.POWER;

    @Option(
            names = "--victim",
            paramLabel = "NODE",
            defaultValue = "both",
            description = "Which node fails: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private CrashBench.Victim victim = CrashBench.Victim.BOTH;

    @Option(
            names = "--profile",
            paramLabel = "PROFILE",
            defaultValue = "default",
            description = "Timings: default, fast or tolerant (default: ${DEFAULT-VALUE}).")
    private String profile = "default";

    @Option(
            names = "--load",
            paramLabel = "N",
            defaultValue = "2",
            description = "Writes under way at a time (default: ${DEFAULT-VALUE}).")
    private int load;

    @Option(
            names = "--db-size",
            paramLabel = "SIZE",
            split = ",",
            defaultValue = "0",
            description =
                    "Fill the database first, such as 100MB or 1GB; several one after the other.")
    private List<String> sizes = List.of();

    @Option(
            names = "--bmc-off",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description =
                    "How long a BMC takes to switch off; the plan of the pair says so too"
                            + " (default: at once).")
    private int bmcOff;

    @Option(
            names = "--bmc-on",
            paramLabel = "SECONDS",
            description =
                    "How long a BMC takes to switch on (default: "
                            + BOOT_WITH_PODS
                            + " with Kubernetes, where a node that is back before its pods have"
                            + " moved keeps them; else at once).")
    private @Nullable Integer bmcOn;

    @Option(names = "--no-kube", description = "Measure etcd alone, without Kubernetes.")
    private boolean noKube;

    @Mixin private KillAgents agents = new KillAgents();

    @Option(
            names = "--compare-plain",
            description =
                    "One more crash in which the agents tell Kubernetes nothing: how long do pods"
                            + " take then? Takes up to 10 minutes.")
    private boolean comparePlain;

    @Option(names = "--picture", paramLabel = "FILE", description = "Write the runs as an SVG.")
    private @Nullable Path picture;

    @Mixin private KeepCache cache = new KeepCache();

    public LabBenchCrashCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The answer. */
    record Result(
            BenchIncident incident,
            String profile,
            int bmcOffSeconds,
            int bmcOnSeconds,
            int runs,
            long acknowledged,
            long lost,
            @Nullable String endedBy,
            List<CrashFigures.Group> groups,
            PlainKubernetes.@Nullable Comparison plain,
            List<String> findings,
            List<CrashBench.Run> crashes) {
        String asText() {
            StringBuilder text = new StringBuilder(title()).append(System.lineSeparator());
            for (CrashFigures.Group group : groups) {
                text.append(
                        "%n%-16s %8s %8s %8s %8s  ms%n"
                                .formatted(
                                        group.megabytes() == 0
                                                ? ""
                                                : "db " + group.megabytes() + " MB",
                                        "p50",
                                        "p90",
                                        "p99",
                                        "max"));
                for (CrashFigures.Figure figure : group.phases()) {
                    text.append(
                            "%-16s %8d %8d %8d %8d%n"
                                    .formatted(
                                            figure.phase(),
                                            figure.p50(),
                                            figure.p90(),
                                            figure.p99(),
                                            figure.max()));
                }
                for (CrashFigures.PredictionErrors errors : group.predictionErrors()) {
                    text.append(errors(errors));
                }
            }
            long cuts = crashes.stream().mapToLong(CrashBench.Run::powerCuts).sum();
            text.append("%npower cuts: %d%n".formatted(cuts));
            int kills = crashes.stream().mapToInt(CrashBench.Run::agentKills).sum();
            int failedKills = crashes.stream().mapToInt(CrashBench.Run::failedKills).sum();
            if (kills + failedKills > 0) {
                text.append(
                        "agents killed: %d, attempts that failed: %d%n"
                                .formatted(kills, failedKills));
            }
            Stream.of(
                            findings.stream(),
                            groups.stream().flatMap(group -> group.findings().stream()),
                            crashes.stream().flatMap(run -> run.findings().stream()))
                    .flatMap(each -> each)
                    .forEach(finding -> text.append("FINDING: %s%n".formatted(finding)));
            if (endedBy != null) {
                text.append("ended early: ").append(endedBy).append(System.lineSeparator());
            }
            if (plain != null) {
                text.append(plain.asText()).append(System.lineSeparator());
            }
            return text.toString();
        }

        /** Each run's, since what one of them got wrong is lost in a percentile. */
        private static String errors(CrashFigures.PredictionErrors errors) {
            return "error of the predicted %s: %s %%; p50 %d %%, p90 %d %%, max %d %%%n"
                    .formatted(
                            errors.what(),
                            errors.each().stream()
                                    .map("%+d"::formatted)
                                    .collect(Collectors.joining(" ")),
                            errors.p50(),
                            errors.p90(),
                            errors.max());
        }

        String title() {
            return "%d times %s, profile %s%s: %d writes acknowledged, %d lost"
                    .formatted(
                            runs,
                            incident,
                            profile,
                            bmcOffSeconds + bmcOnSeconds == 0
                                    ? ""
                                    : ", BMC off after %d s, on after %d s"
                                            .formatted(bmcOffSeconds, bmcOnSeconds),
                            acknowledged,
                            lost);
        }

        boolean met() {
            return endedBy == null
                    && findings.isEmpty()
                    && groups.stream().allMatch(CrashFigures.Group::met);
        }
    }

    @Override
    public Integer call() throws Exception {
        Numbers.check("runs", runs, MOST, "tandem lab bench crash --runs 20");
        Numbers.check("writes at a time", load, MOST, "tandem lab bench crash --load 4");
        List<Long> megabytes =
                sizes.stream().map(LabBenchCrashCommand::megabytes).sorted().toList();
        checkBmcOff();
        long largest = megabytes.stream().max(Comparator.naturalOrder()).orElse(0L);
        LabSpec spec = LabSpec.twoNodes(name).withKeptCache(cache.kept());
        if (largest * DISK_PER_DATABASE > spec.etcdDiskMib()) {
            spec = spec.withEtcdDisk((int) largest * DISK_PER_DATABASE);
        }
        if (noKube && comparePlain) {
            throw new Failure(
                    "there is nothing to compare",
                    "--no-kube leaves out what --compare-plain is about",
                    "leave one of them out");
        }
        if (!noKube) {
            spec = LabKube.with(spec, programs());
        }
        // Written by this thread, read by the one that reports at an interruption.
        List<CrashBench.Run> crashes = new CopyOnWriteArrayList<>();
        Thread atInterruption = new Thread(() -> reportInterrupted(crashes), "report-runs");
        Runtime.getRuntime().addShutdownHook(atInterruption);
        PlainKubernetes.Comparison plain = null;
        String endedBy = null;
        try (Progress progress = new Progress(terminal)) {
            progress.step("starting lab " + name);
            try (Lab lab = Lab.start(spec)) {
                progress.step("setting up a pair in it");
                Pair pair = Pair.setUp(lab, profile, plannedBmcOff());
                lab.nodes().forEach(node -> node.bmcBehaves(bmc()));
                Optional<LabKube> kube = LabKube.of(lab);
                try {
                    crash(pair, bench(pair, kube), megabytes, crashes, progress);
                    if (comparePlain && kube.isPresent()) {
                        progress.step("a crash of which Kubernetes is told nothing");
                        plain =
                                PlainKubernetes.measure(
                                        pair, kube.get(), "node-1", podsMoved(crashes));
                    }
                } catch (ExpectationFailed | IOException | Failure e) {
                    // Hours of runs are not thrown away for the last one.
                    endedBy = String.valueOf(e.getMessage());
                }
            }
        }
        try {
            boolean _ = Runtime.getRuntime().removeShutdownHook(atInterruption);
        } catch (IllegalStateException e) {
            // The process is ending, and the other thread reports.
            return ExitCode.FINDING;
        }
        return report(crashes, plain, endedBy) ? ExitCode.FINE : ExitCode.FINDING;
    }

    private void checkBmcOff() {
        long most = ClusterPlan.SLOWEST_BMC_OFF.toSeconds();
        if (bmcOff < 0 || bmcOff > most) {
            throw new UsageException(
                    "a BMC cannot take %d s to switch off".formatted(bmcOff),
                    "a plan allows at most %d s".formatted(most),
                    "for example: tandem lab bench crash --bmc-off 6");
        }
    }

    /** Hours of runs are not lost when somebody interrupts them. */
    private void reportInterrupted(List<CrashBench.Run> crashes) {
        if (crashes.isEmpty()) {
            return;
        }
        try {
            boolean _ = report(crashes, null, "interrupted, or ended by the failure above");
        } catch (IOException e) {
            terminal.err().println("could not report the runs so far: " + e.getMessage());
        }
    }

    /** Whether all limits were met. */
    private boolean report(
            List<CrashBench.Run> crashes,
            PlainKubernetes.@Nullable Comparison plain,
            @Nullable String endedBy)
            throws IOException {
        Result result =
                new Result(
                        incident,
                        profile,
                        bmcOff,
                        secondsToBoot(),
                        crashes.size(),
                        crashes.stream().mapToLong(CrashBench.Run::acknowledged).sum(),
                        crashes.stream().mapToLong(CrashBench.Run::lost).sum(),
                        endedBy,
                        CrashFigures.groups(incident, Duration.ofSeconds(bmcOff), crashes),
                        plain,
                        AgentKiller.findings(
                                agents.wanted(),
                                crashes.stream().mapToInt(CrashBench.Run::agentKills).sum()),
                        crashes);
        if (picture != null) {
            Files.writeString(picture, CrashPicture.of(result.title(), crashes));
        }
        output.print(terminal, "LabBenchCrash", result, Result::asText);
        return result.met();
    }

    private CrashBench bench(Pair pair, Optional<LabKube> kube) {
        return new CrashBench(pair, kube, load, agents.seed().map(Random::new));
    }

    private void crash(
            Pair pair,
            CrashBench bench,
            List<Long> megabytes,
            List<CrashBench.Run> crashes,
            Progress progress)
            throws IOException, InterruptedException {
        long filled = 0;
        for (long size : megabytes) {
            if (size > filled) {
                progress.step("filling the database to " + size + " MB");
                pair.fill(filled, size);
                filled = size;
            }
            for (int run = 0; run < runs; run++) {
                progress.step(
                        "%s %d of %d%s%s"
                                .formatted(
                                        incident,
                                        run + 1,
                                        runs,
                                        size == 0 ? "" : ", db " + size + " MB",
                                        crashes.isEmpty() ? "" : seen(crashes.getLast())));
                crashes.add(bench.run(incident, victim, run, size));
            }
        }
    }

    private static String seen(CrashBench.Run last) {
        return " (the last: first write after %.1f s, %d lost)"
                .formatted(
                        last.millis().getOrDefault(CrashBench.FIRST_WRITE, 0L) / 1000.0,
                        last.lost());
    }

    /** The median of the crashes, in milliseconds. */
    private static long podsMoved(List<CrashBench.Run> crashes) {
        List<Long> moved =
                crashes.stream()
                        .map(run -> run.millis().get(KubeClients.PODS_MOVED))
                        .filter(Objects::nonNull)
                        .sorted()
                        .toList();
        if (moved.isEmpty()) {
            throw new Failure(
                    "there is nothing to compare",
                    "no pods were moved in any run",
                    "choose an incident with a fence: --incident power");
        }
        return moved.get((moved.size() - 1) / 2);
    }

    private Path programs() throws IOException, InterruptedException {
        try (ConsoleProgressListener steps = new ConsoleProgressListener(terminal)) {
            Path programs = KubePrograms.ofHost().ensure(Optional.empty(), steps);
            steps.done();
            return programs;
        }
    }

    private int secondsToBoot() {
        return bmcOn != null ? bmcOn : noKube ? 0 : BOOT_WITH_PODS;
    }

    /**
     * What the plan of the pair says of its BMCs, as an administrator would have measured it: with
     * less, both nodes of a split are switched off. Nobody measures a BMC that is quick.
     */
    Optional<Duration> plannedBmcOff() {
        return bmcOff == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(bmcOff));
    }

    BmcBehaviour bmc() {
        return BmcBehaviour.FAULTLESS
                .withOffLatency(Duration.ofSeconds(bmcOff))
                .withOnLatency(Duration.ofSeconds(secondsToBoot()));
    }

    public static long megabytes(String size) {
        Matcher matcher = SIZE.matcher(size.toUpperCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new UsageException(
                    "cannot fill a database to " + size,
                    "a size is a number of MB or GB",
                    "for example --db-size 100MB,1GB");
        }
        long number = Long.parseLong(matcher.group(1));
        long megabytes = "GB".equals(matcher.group(2)) ? number * 1000 : number;
        if (megabytes > 8000) {
            throw new UsageException(
                    "cannot fill a database to " + size,
                    "etcd takes 8 GB at most",
                    "for example --db-size 1GB");
        }
        return megabytes;
    }
}
