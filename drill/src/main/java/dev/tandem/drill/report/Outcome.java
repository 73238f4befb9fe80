package dev.tandem.drill.report;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What came of a scenario. All times are milliseconds since it began.
 *
 * @param began UTC, ISO 8601
 * @param findings what did not hold, in words; none when it passed
 * @param longestGapMillis the longest time without an acknowledged write
 * @param lost acknowledged writes that were not found afterwards; absent if nobody could be asked
 * @param shots machines that were running and were switched off by a node
 * @param agentKills agents that were killed beside whatever the scenario does; with any, what the
 *     scenario itself expects was not judged
 * @param fences receipts of the agents: the peer was read Off
 * @param predicted recoveries that the survivor had predicted, beside what they took; none where no
 *     node lost its power or hung
 * @param writes acknowledged writes in each slice of {@code sliceMillis}
 */
public record Outcome(
        String name,
        String title,
        List<String> covers,
        boolean passed,
        List<String> findings,
        String began,
        long durationMillis,
        long longestGapMillis,
        long acknowledged,
        @Nullable Long lost,
        int shots,
        int agentKills,
        List<Fence> fences,
        List<Predicted> predicted,
        List<Figure> figures,
        List<Gap> gaps,
        long sliceMillis,
        List<Integer> writes,
        List<Span> states,
        List<Mark> timeline) {

    public Outcome {
        covers = List.copyOf(covers);
        findings = List.copyOf(findings);
        fences = List.copyOf(fences);
        predicted = List.copyOf(predicted);
        figures = List.copyOf(figures);
        gaps = List.copyOf(gaps);
        writes = List.copyOf(writes);
        states = List.copyOf(states);
        timeline = List.copyOf(timeline);
    }

    /** A node whose power was read Off by the other's agent. */
    public record Fence(long millis, String node) {}

    /**
     * A recovery of writes, as the survivor's status had predicted it right before and as it was.
     *
     * @param node that lost its power, or hung
     */
    public record Predicted(String node, long predictedMillis, long measuredMillis) {
        /** Negative where it took longer than predicted. */
        public long errorPercent() {
            return 100 * (predictedMillis - measuredMillis) / Math.max(1, measuredMillis);
        }
    }

    /** The prediction that was furthest from what came; empty where there was none. */
    Optional<Predicted> worstPredicted() {
        return predicted.stream()
                .max(Comparator.comparingLong(recovery -> Math.abs(recovery.errorPercent())));
    }

    /**
     * Something measured.
     *
     * @param boundMillis what the acceptance timeline asks for, where it does; a figure beyond it
     *     is shown and is no failure, since a busy machine is slow, unless the scenario finds so
     */
    public record Figure(String what, long millis, @Nullable Long boundMillis) {
        boolean within() {
            return boundMillis == null || millis <= boundMillis;
        }
    }

    /** A time of a second or more without an acknowledged write. */
    public record Gap(long fromMillis, long toMillis) {}

    /** A node said of itself, or was, the same all this time. */
    public record Span(String node, String state, long fromMillis, long toMillis) {}

    /**
     * Something that happened.
     *
     * @param lane a node, {@link #DRILL} for the steps of the scenario, or {@code lab}
     * @param kind the event's name in the journal or timeline it is from
     */
    public record Mark(long millis, String lane, String kind, String text) {
        public static final String DRILL = "drill";
    }
}
