package dev.tandem.drill;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.drill.audit.Audit;
import dev.tandem.drill.audit.HealthWatch;
import dev.tandem.drill.audit.Moment;
import dev.tandem.drill.report.Outcome;
import dev.tandem.drill.scenario.Scenario;
import dev.tandem.drill.scenario.ScenarioContext;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Puts together, from journals, timeline, client and watch, what happened in a scenario. */
final class Recording {
    /** Enough for a picture, whatever the scenario's length. */
    private static final int SLICES = 400;

    private static final Duration SHORTEST_GAP = Duration.ofSeconds(1);

    private final Pair pair;
    private final Moment began;
    private final Moment ended = Moment.now();

    Recording(Pair pair, Moment began) {
        this.pair = pair;
        this.began = began;
    }

    Outcome outcome(
            Scenario scenario,
            ScenarioContext context,
            Writer writer,
            HealthWatch watch,
            int agentKills,
            Audit.Result audited,
            List<String> findings) {
        long length = began.millisTo(ended.nanoTime());
        long slice = Math.max(100, length / SLICES);
        return new Outcome(
                scenario.name(),
                scenario.title(),
                scenario.covers(),
                findings.isEmpty(),
                findings,
                began.instant().toString(),
                length,
                writer.longestGapSince(began.nanoTime()).length().toMillis(),
                writer.acknowledgedSoFar(),
                audited.lost().isPresent() ? audited.lost().getAsLong() : null,
                context.switchedOff(),
                agentKills,
                fences(),
                audited.predicted().stream()
                        .map(recovery ->
                                new Outcome.Predicted(
                                        recovery.lost(),
                                        recovery.said().toMillis(),
                                        recovery.took().toMillis()))
                        .toList(),
                context.figures(),
                writer.gapsSince(began.nanoTime(), SHORTEST_GAP).stream()
                        .map(gap ->
                                new Outcome.Gap(
                                        began.millisTo(gap.fromNanos()),
                                        began.millisTo(gap.toNanos())))
                        .toList(),
                slice,
                writes(writer, length, slice),
                states(watch, length),
                marks(context));
    }

    private List<Outcome.Fence> fences() {
        List<Outcome.Fence> fences = new ArrayList<>();
        for (String node : Pair.NODES) {
            for (JournalLine line : pair.journalSince(node, began.nanoTime())) {
                if (line.event() instanceof JournalEvent.Fenced) {
                    fences.add(new Outcome.Fence(millis(line), Pair.peerOf(node)));
                }
            }
        }
        return fences;
    }

    private long millis(JournalLine line) {
        return began.millisTo(line.nanos());
    }

    private List<Integer> writes(Writer writer, long length, long slice) {
        int[] counts = new int[(int) (length / slice) + 1];
        for (Writer.Acknowledgement acknowledgement : writer.acknowledgements()) {
            int at = (int) (began.millisTo(acknowledgement.nanos()) / slice);
            if (at >= 0 && at < counts.length) {
                counts[at]++;
            }
        }
        List<Integer> list = new ArrayList<>();
        for (int count : counts) {
            list.add(count);
        }
        return list;
    }

    private List<Outcome.Span> states(HealthWatch watch, long length) {
        List<Outcome.Span> spans = new ArrayList<>();
        Map<String, Outcome.Span> open = new HashMap<>();
        for (HealthWatch.Sample sample : watch.samples()) {
            long at = began.millisTo(sample.nanos());
            Outcome.Span current = open.get(sample.node());
            if (current != null && current.state().equals(sample.state())) {
                continue;
            }
            if (current != null) {
                spans.add(until(current, at));
            }
            open.put(sample.node(), new Outcome.Span(sample.node(), sample.state(), at, at));
        }
        open.values().forEach(span -> spans.add(until(span, length)));
        spans.sort(
                Comparator.comparing(Outcome.Span::node)
                        .thenComparingLong(Outcome.Span::fromMillis));
        return spans;
    }

    private static Outcome.Span until(Outcome.Span span, long millis) {
        return new Outcome.Span(span.node(), span.state(), span.fromMillis(), millis);
    }

    private List<Outcome.Mark> marks(ScenarioContext context) {
        List<Outcome.Mark> marks = new ArrayList<>(context.steps());
        for (Timeline.Entry entry : context.timeline()) {
            if (isTold(entry.event())) {
                marks.add(
                        new Outcome.Mark(
                                began.millisTo(entry.at()),
                                Pair.NODES.contains(entry.subject())
                                        ? entry.subject()
                                        : Timeline.LAB,
                                entry.name(),
                                entry.event().sentence()));
            }
        }
        for (String node : Pair.NODES) {
            for (JournalLine line : pair.journalSince(node, began.nanoTime())) {
                // A first message tells a reader nothing that the membership does not.
                if (!(line.event() instanceof JournalEvent.PeerHeard)) {
                    marks.add(
                            new Outcome.Mark(
                                    millis(line),
                                    node,
                                    line.event().getClass().getSimpleName(),
                                    line.event().sentence()));
                }
            }
        }
        marks.sort(Comparator.comparingLong(Outcome.Mark::millis));
        return marks;
    }

    /** Not the beginnings of acts whose ends are told, nor what a client of a BMC does all day. */
    private static boolean isTold(TimelineEvent event) {
        return switch (event) {
            case TimelineEvent.PowerCut _,
                    TimelineEvent.FaultBegins _,
                    TimelineEvent.Crash _,
                    TimelineEvent.Freeze _,
                    TimelineEvent.Thaw _ ->
                    false;
            case TimelineEvent.Bmc bmc ->
                    switch (bmc.kind()) {
                        case SESSION_OPENED,
                                SESSION_CLOSED,
                                LOGIN_REFUSED,
                                POWERED_ON,
                                FEED_CUT,
                                FEED_RESTORED ->
                                false;
                        default -> true;
                    };
            default -> true;
        };
    }
}
