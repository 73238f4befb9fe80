package dev.tandem.drill;

import dev.tandem.cli.Progress;
import dev.tandem.drill.report.Outcome;
import dev.tandem.drill.scenario.Scenario;
import dev.tandem.lab.spec.LabSpec;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Plays scenarios on several pairs at a time, each scenario on the first pair that is free. What
 * ends one drill, as opposed to a scenario that fails, ends them all.
 */
public final class DrillRunner {
    private final List<String> labs;
    private final String profile;
    private final boolean keepCache;
    private final Optional<Long> agentKillSeed;
    private final Progress.Step progress;
    private final Consumer<String> finished;
    private final Consumer<List<Outcome>> report;

    private final List<Scenario> order = new ArrayList<>();
    private final Deque<Scenario> waiting = new ArrayDeque<>();

    /** What is being played, by lab. */
    private final Map<String, String> now = new LinkedHashMap<>();

    private final List<Outcome> outcomes = new ArrayList<>();

    /**
     * @param labs a pair is made in each; they must not exist
     * @param keepCache power cuts lose nothing that was written
     * @param agentKillSeed of the moments at which agents are killed; none are without
     * @param finished hears a line for each scenario that is over
     * @param report hears all outcomes so far, in the order of the scenarios
     */
    public DrillRunner(
            List<String> labs,
            String profile,
            boolean keepCache,
            Optional<Long> agentKillSeed,
            Progress.Step progress,
            Consumer<String> finished,
            Consumer<List<Outcome>> report) {
        this.labs = List.copyOf(labs);
        this.profile = profile;
        this.keepCache = keepCache;
        this.agentKillSeed = agentKillSeed;
        this.progress = progress;
        this.finished = finished;
        this.report = report;
    }

    /** The outcomes, in the order of the scenarios. */
    public List<Outcome> run(List<Scenario> scenarios) throws IOException, InterruptedException {
        order.addAll(scenarios);
        waiting.addAll(labs.size() == 1 ? scenarios : longestFirst(scenarios));
        try (ExecutorService threads = Executors.newFixedThreadPool(labs.size())) {
            List<Future<?>> members = new ArrayList<>();
            for (String lab : labs) {
                members.add(
                        threads.submit(() -> {
                            runOn(lab);
                            return null;
                        }));
            }
            for (Future<?> member : members) {
                member.get();
            }
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException cause -> throw cause;
                case InterruptedException cause -> throw cause;
                case RuntimeException cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw new IllegalStateException(e);
            }
        }
        return ordered();
    }

    /**
     * So that no pair is left alone with a long one at the end. Those that need another kind of
     * pair come last: each change between the two sets a pair up again.
     */
    private static List<Scenario> longestFirst(List<Scenario> scenarios) {
        return scenarios.stream()
                .sorted(
                        Comparator.comparingInt((Scenario scenario) ->
                                        switch (scenario.needs()) {
                                            case PAIR, NO_KUBERNETES -> 0;
                                            case TWO_LINKS -> 1;
                                            case TWO_WAYS_TO_A_BMC -> 2;
                                            case IPMI_ALONE -> 3;
                                            case KUBERNETES -> 4;
                                        })
                                .thenComparing(Scenario::expected, Comparator.reverseOrder()))
                .toList();
    }

    private void runOn(String lab) throws IOException, InterruptedException {
        LabSpec spec = LabSpec.twoNodes(lab).withKeptCache(keepCache);
        // Each pair has moments of its own, the same ones for the same seed.
        Optional<RandomGenerator> agentKills =
                agentKillSeed.map(seed -> new Random(seed + labs.indexOf(lab)));
        try (Drill drill = new Drill(spec, profile, agentKills, this::doing)) {
            for (Scenario next = next(lab); next != null; next = next(lab)) {
                over(drill.run(next));
            }
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            synchronized (this) {
                waiting.clear();
            }
            throw e;
        }
    }

    private synchronized @Nullable Scenario next(String lab) {
        Scenario next = waiting.poll();
        if (next == null) {
            now.remove(lab);
            doing("ending");
        } else {
            now.put(lab, next.name());
        }
        return next;
    }

    /** Steps are told of a single pair only: those of several would be a muddle. */
    private synchronized void doing(String step) {
        String playing = now.isEmpty() ? "ending" : String.join(", ", now.values());
        progress.detail(
                "%d done, now %s%s"
                        .formatted(
                                outcomes.size(),
                                playing,
                                labs.size() == 1 && !now.isEmpty() ? ": " + step : ""));
    }

    private synchronized void over(Outcome outcome) {
        outcomes.add(outcome);
        finished.accept(
                "%-34s %6.1f s  %s"
                        .formatted(
                                outcome.name(),
                                outcome.durationMillis() / 1000.0,
                                outcome.passed()
                                        ? "passed, longest gap %.1f s"
                                                .formatted(outcome.longestGapMillis() / 1000.0)
                                        : "FAILED: " + outcome.findings().getFirst()));
        report.accept(ordered());
    }

    private synchronized List<Outcome> ordered() {
        List<String> names = order.stream().map(Scenario::name).toList();
        return outcomes.stream()
                .sorted(Comparator.comparingInt(outcome -> names.indexOf(outcome.name())))
                .toList();
    }
}
