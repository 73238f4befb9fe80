package dev.tandem.drill.bench;

import dev.tandem.drill.client.KubeClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What a bench found, in figures. */
public final class CrashFigures {
    /** How long pods of the node that was fenced may be away, from the fence on. */
    private static final long PODS_MILLIS = 10_000;

    /** How wrong half of the predictions of a group may be. */
    private static final long PREDICTION_ERROR_PERCENT = 30;

    private CrashFigures() {}

    /** A phase over all runs of a group, in milliseconds from the incident. */
    public record Figure(String phase, int runs, long p50, long p90, long p99, long max) {
        public static Figure of(String phase, List<Long> values) {
            List<Long> sorted = values.stream().sorted().toList();
            return new Figure(
                    phase,
                    sorted.size(),
                    percentile(sorted, 50),
                    percentile(sorted, 90),
                    percentile(sorted, 99),
                    sorted.getLast());
        }

        /** The smallest value that this percentage of the runs does not exceed. */
        private static long percentile(List<Long> sorted, int percent) {
            int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
            return sorted.get(Math.max(0, rank - 1));
        }
    }

    /**
     * What a status had predicted, run by run, against what came.
     *
     * @param what which of the measured times it was about
     * @param each in percent of what was measured, in the order of the runs; negative where it took
     *     longer than predicted
     * @param p50 of the errors, whichever their sign
     */
    public record PredictionErrors(String what, List<Long> each, long p50, long p90, long max) {
        public PredictionErrors {
            each = List.copyOf(each);
        }

        /** Of the runs in which both are known; empty where there is none. */
        static Optional<PredictionErrors> of(
                List<CrashBench.Run> runs, String what, String predicted) {
            List<Long> each =
                    runs.stream()
                            .flatMap(run -> errorPercent(run, what, predicted).stream())
                            .toList();
            if (each.isEmpty()) {
                return Optional.empty();
            }
            Figure sizes = Figure.of(what, each.stream().map(Math::abs).toList());
            return Optional.of(
                    new PredictionErrors(what, each, sizes.p50(), sizes.p90(), sizes.max()));
        }

        private static Optional<Long> errorPercent(
                CrashBench.Run run, String what, String predicted) {
            Long said = run.millis().get(predicted);
            Long measured = run.millis().get(what);
            return said == null || measured == null
                    ? Optional.empty()
                    : Optional.of(100 * (said - measured) / Math.max(1, measured));
        }

        public boolean holds() {
            return p50 <= PREDICTION_ERROR_PERCENT;
        }
    }

    /**
     * The runs of one size of the database.
     *
     * @param predictionErrors of etcd and of the API; none where nothing is predicted
     * @param findings what does not hold of the runs as a whole, in words
     */
    public record Group(
            long megabytes,
            int runs,
            long acknowledged,
            long lost,
            List<Figure> phases,
            List<PredictionErrors> predictionErrors,
            List<String> findings,
            boolean met) {
        public Group {
            phases = List.copyOf(phases);
            predictionErrors = List.copyOf(predictionErrors);
            findings = List.copyOf(findings);
        }

        static Group of(
                long megabytes,
                BenchIncident incident,
                Duration bmcOff,
                List<CrashBench.Run> runs) {
            List<Figure> phases = figures(runs);
            long lost = runs.stream().mapToLong(CrashBench.Run::lost).sum();
            // A run in which agents were killed has no such objective, and nobody predicted it; the
            // others keep theirs.
            List<CrashBench.Run> undisturbed =
                    runs.stream().filter(run -> run.agentKills() == 0).toList();
            BenchIncident.Objective objective = incident.objective(bmcOff, megabytes);
            boolean quick = within(figures(undisturbed), CrashBench.FIRST_WRITE, objective);
            boolean api =
                    within(phases, KubeClients.API_WRITE, objective.ofApi())
                            && within(
                                    phases,
                                    KubeClients.PODS_AFTER_FENCE,
                                    new BenchIncident.Objective(PODS_MILLIS, PODS_MILLIS));
            boolean shots =
                    incident.powerCuts().isEmpty()
                            || runs.stream()
                                    .allMatch(run ->
                                            run.powerCuts() == incident.powerCuts().getAsLong());
            List<PredictionErrors> errors = predictionErrors(undisturbed);
            List<String> findings = new ArrayList<>();
            if (incident.isPredicted()) {
                unpredicted(undisturbed, megabytes).ifPresent(findings::add);
            }
            errors.stream()
                    .filter(error -> !error.holds())
                    .map(error ->
                            "the %s was predicted wrongly by %d %% in the median%s; %d %% are allowed"
                                    .formatted(
                                            error.what(),
                                            error.p50(),
                                            ofDatabase(megabytes),
                                            PREDICTION_ERROR_PERCENT))
                    .forEach(findings::add);
            return new Group(
                    megabytes,
                    runs.size(),
                    runs.stream().mapToLong(CrashBench.Run::acknowledged).sum(),
                    lost,
                    phases,
                    errors,
                    findings,
                    lost == 0
                            && quick
                            && api
                            && shots
                            && findings.isEmpty()
                            && runs.stream().allMatch(run -> run.findings().isEmpty())
                            && runs.stream().allMatch(Group::moved));
        }

        private static String ofDatabase(long megabytes) {
            return megabytes == 0 ? "" : " with a database of %d MB".formatted(megabytes);
        }

        private static List<PredictionErrors> predictionErrors(List<CrashBench.Run> runs) {
            return Stream.of(
                            PredictionErrors.of(runs, CrashBench.FIRST_WRITE, CrashBench.PREDICTED),
                            PredictionErrors.of(
                                    runs, KubeClients.API_WRITE, CrashBench.API_PREDICTED))
                    .flatMap(Optional::stream)
                    .toList();
        }

        /** A prediction that nobody made has no error, and proves nothing. */
        private static Optional<String> unpredicted(List<CrashBench.Run> runs, long megabytes) {
            long silent = runs.stream().filter(run -> !wasPredicted(run)).count();
            return silent == 0
                    ? Optional.empty()
                    : Optional.of(
                            "in %d of %d runs%s the survivor's status had predicted nothing"
                                    .formatted(silent, runs.size(), ofDatabase(megabytes)));
        }

        private static boolean wasPredicted(CrashBench.Run run) {
            return run.millis().containsKey(CrashBench.PREDICTED)
                    && (!run.millis().containsKey(KubeClients.API_WRITE)
                            || run.millis().containsKey(CrashBench.API_PREDICTED));
        }

        /** Where somebody asked the API and a node was fenced, its pods have to have moved. */
        private static boolean moved(CrashBench.Run run) {
            return !run.millis().containsKey(KubeClients.API_WRITE)
                    || !run.millis().containsKey("fenced")
                    || run.millis().containsKey(KubeClients.PODS_AFTER_FENCE);
        }

        /** What was not measured was not asked for. */
        private static boolean within(
                List<Figure> phases, String phase, BenchIncident.Objective objective) {
            return phases.stream()
                    .filter(figure -> figure.phase().equals(phase))
                    .allMatch(figure ->
                            figure.p50() <= objective.median()
                                    && figure.p99() <= objective.nearlyAll());
        }
    }

    /**
     * By the size of the database, in the order in which they ran.
     *
     * @param bmcOff how long the lab's BMCs take to switch off
     */
    public static List<Group> groups(
            BenchIncident incident, Duration bmcOff, List<CrashBench.Run> runs) {
        Map<Long, List<CrashBench.Run>> bySize = new LinkedHashMap<>();
        runs.forEach(
                run -> bySize.computeIfAbsent(run.megabytes(), _ -> new ArrayList<>()).add(run));
        return bySize.entrySet().stream()
                .map(entry -> Group.of(entry.getKey(), incident, bmcOff, entry.getValue()))
                .toList();
    }

    /** The phases in their order, over all runs. */
    private static List<Figure> figures(List<CrashBench.Run> runs) {
        List<Figure> figures = new ArrayList<>();
        for (String phase : CrashBench.PHASES) {
            List<Long> values =
                    runs.stream()
                            .filter(run -> run.millis().containsKey(phase))
                            .map(run -> run.millis().get(phase))
                            .toList();
            if (!values.isEmpty()) {
                figures.add(Figure.of(phase, values));
            }
        }
        return figures;
    }
}
