package dev.tandem.drill.bench;

import dev.tandem.drill.client.KubeClients;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a bench found, in figures. */
public final class CrashFigures {
    /** How long pods of the node that was fenced may be away, from the fence on. */
    private static final long PODS_MILLIS = 10_000;

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
     * The runs of one size of the database.
     *
     * @param predictionErrorPercent by how much half of the predictions, or more, were wrong at
     *     most; absent where nothing was predicted
     */
    public record Group(
            long megabytes,
            int runs,
            long acknowledged,
            long lost,
            List<Figure> phases,
            @Nullable Long predictionErrorPercent,
            boolean met) {
        public static Group of(long megabytes, BenchIncident incident, List<CrashBench.Run> runs) {
            List<Figure> phases = figures(runs);
            long lost = runs.stream().mapToLong(CrashBench.Run::lost).sum();
            // A run in which agents were killed has no such objective; the others keep theirs.
            boolean quick =
                    within(
                            figures(runs.stream().filter(run -> run.agentKills() == 0).toList()),
                            CrashBench.FIRST_WRITE,
                            incident.medianObjective(),
                            incident.nearlyAllObjective());
            boolean api =
                    within(
                                    phases,
                                    KubeClients.API_WRITE,
                                    incident.apiMedianObjective(),
                                    incident.apiNearlyAllObjective())
                            && within(
                                    phases, KubeClients.PODS_AFTER_FENCE, PODS_MILLIS, PODS_MILLIS);
            boolean shots =
                    incident.powerCuts().isEmpty()
                            || runs.stream()
                                    .allMatch(run ->
                                            run.powerCuts() == incident.powerCuts().getAsLong());
            return new Group(
                    megabytes,
                    runs.size(),
                    runs.stream().mapToLong(CrashBench.Run::acknowledged).sum(),
                    lost,
                    phases,
                    predictionError(runs),
                    lost == 0
                            && quick
                            && api
                            && shots
                            && runs.stream().allMatch(run -> run.findings().isEmpty())
                            && runs.stream().allMatch(Group::moved));
        }

        /** A killed agent is no part of what was predicted. */
        private static @Nullable Long predictionError(List<CrashBench.Run> runs) {
            List<Long> errors =
                    runs.stream()
                            .filter(run -> run.agentKills() == 0)
                            .filter(run -> run.millis().containsKey(CrashBench.PREDICTED))
                            .map(run ->
                                    errorPercent(
                                            run.millis().getOrDefault(CrashBench.PREDICTED, 0L),
                                            run.millis().getOrDefault(CrashBench.FIRST_WRITE, 0L)))
                            .toList();
            return errors.isEmpty() ? null : Figure.of(CrashBench.PREDICTED, errors).p50();
        }

        private static long errorPercent(long predicted, long measured) {
            return 100 * Math.abs(predicted - measured) / Math.max(1, measured);
        }

        /** Where somebody asked the API and a node was fenced, its pods have to have moved. */
        private static boolean moved(CrashBench.Run run) {
            return !run.millis().containsKey(KubeClients.API_WRITE)
                    || !run.millis().containsKey("fenced")
                    || run.millis().containsKey(KubeClients.PODS_AFTER_FENCE);
        }

        /** What was not measured was not asked for. */
        private static boolean within(
                List<Figure> phases, String phase, long median, long nearlyAll) {
            return phases.stream()
                    .filter(figure -> figure.phase().equals(phase))
                    .allMatch(figure -> figure.p50() <= median && figure.p99() <= nearlyAll);
        }
    }

    /** By the size of the database, in the order in which they ran. */
    public static List<Group> groups(BenchIncident incident, List<CrashBench.Run> runs) {
        Map<Long, List<CrashBench.Run>> bySize = new LinkedHashMap<>();
        runs.forEach(
                run -> bySize.computeIfAbsent(run.megabytes(), _ -> new ArrayList<>()).add(run));
        return bySize.entrySet().stream()
                .map(entry -> Group.of(entry.getKey(), incident, entry.getValue()))
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
