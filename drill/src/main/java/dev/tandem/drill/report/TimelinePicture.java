package dev.tandem.drill.report;

import dev.tandem.agentapi.NodeHealth;
import dev.tandem.drill.audit.HealthWatch;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A scenario at a glance: the steps along the top, a lane for each node coloured by what it said of
 * itself, and the acknowledged writes below.
 */
final class TimelinePicture {
    private static final int LEFT = 70;
    private static final int WIDTH = 1000;
    private static final int STEPS = 22;
    private static final int LANE = 34;
    private static final int GAP = 14;
    private static final int WRITES = 60;

    /** In the order of the legend. */
    private static final Map<String, String> COLOURS = new LinkedHashMap<>();

    static {
        COLOURS.put(NodeHealth.REDUNDANT.name(), "#4caf7a");
        COLOURS.put(NodeHealth.ALONE.name(), "#e0a526");
        COLOURS.put(NodeHealth.LEARNING.name(), "#5b9bd5");
        COLOURS.put(NodeHealth.DOWN.name(), "#d9534f");
        COLOURS.put(HealthWatch.Sample.SILENT, "#b58bc4");
        COLOURS.put(LabStatus.State.OFF.name(), "#55595e");
        COLOURS.put(LabStatus.State.FROZEN.name(), "#8fb9c9");
    }

    private final Outcome outcome;
    private final StringBuilder svg = new StringBuilder();

    TimelinePicture(Outcome outcome) {
        this.outcome = outcome;
    }

    String svg() {
        int height = STEPS + Pair.NODES.size() * (LANE + GAP) + WRITES + 44;
        svg.append(
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"timeline\" font-size=\"11\" fill=\"currentColor\">\n"
                        .formatted(LEFT + WIDTH + 10, height));
        int top = STEPS;
        for (String node : Pair.NODES) {
            lane(node, top);
            top += LANE + GAP;
        }
        writes(top);
        axis(top + WRITES);
        steps(top + WRITES);
        legend(top + WRITES + 36);
        return svg.append("</svg>\n").toString();
    }

    private double place(long millis) {
        double share = (double) millis / Math.max(1, outcome.durationMillis());
        return LEFT + WIDTH * Math.clamp(share, 0.0, 1.0);
    }

    private String x(long millis) {
        return pixels(place(millis));
    }

    /** Never so narrow that it cannot be seen. */
    private String width(long from, long to) {
        return pixels(Math.max(0.5, place(to) - place(from)));
    }

    private static String pixels(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private void lane(String node, int top) {
        text(0, top + LANE / 2 + 4, node);
        for (Outcome.Span span : outcome.states()) {
            if (span.node().equals(node)) {
                rectangle(
                        span.fromMillis(),
                        span.toMillis(),
                        top,
                        LANE,
                        COLOURS.getOrDefault(span.state(), "#999"),
                        "%s, %s to %s"
                                .formatted(
                                        span.state().toLowerCase(Locale.ROOT),
                                        ReportPage.seconds(span.fromMillis()),
                                        ReportPage.seconds(span.toMillis())));
            }
        }
        for (Outcome.Fence fence : outcome.fences()) {
            if (fence.node().equals(node)) {
                svg.append(
                        "<path d=\"M%s %d l7 -10 h-14 z\" fill=\"#c0262d\">%s</path>\n"
                                .formatted(
                                        x(fence.millis()),
                                        top,
                                        title(fence.millis(), "fenced: read Off")));
            }
        }
        for (Outcome.Mark mark : outcome.timeline()) {
            if (mark.lane().equals(node)) {
                svg.append(
                        "<circle cx=\"%s\" cy=\"%d\" r=\"2.5\" fill=\"#fff\" stroke=\"#222\">%s</circle>\n"
                                .formatted(
                                        x(mark.millis()),
                                        top + LANE / 2,
                                        title(mark.millis(), mark.text())));
            }
        }
    }

    private static String title(long millis, String text) {
        return "<title>%s %s</title>"
                .formatted(ReportPage.seconds(millis), ReportPage.escaped(text));
    }

    private void writes(int top) {
        text(0, top + WRITES / 2 + 4, "writes");
        List<Integer> writes = outcome.writes();
        int most = Math.max(1, writes.stream().mapToInt(Integer::intValue).max().orElse(1));
        for (int i = 0; i < writes.size(); i++) {
            if (writes.get(i) > 0) {
                int high = Math.max(1, WRITES * writes.get(i) / most);
                long from = i * outcome.sliceMillis();
                svg.append(
                        "<rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" fill=\"#4c78a8\"/>\n"
                                .formatted(
                                        x(from),
                                        top + WRITES - high,
                                        width(from, from + outcome.sliceMillis()),
                                        high));
            }
        }
        for (Outcome.Gap gap : outcome.gaps()) {
            rectangle(
                    gap.fromMillis(),
                    gap.toMillis(),
                    top,
                    WRITES,
                    "#d9534f33",
                    "no write acknowledged for "
                            + ReportPage.seconds(gap.toMillis() - gap.fromMillis()));
        }
    }

    private void rectangle(long from, long to, int top, int high, String colour, String words) {
        svg.append(
                "<rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" fill=\"%s\"><title>%s</title></rect>\n"
                        .formatted(
                                x(from),
                                top,
                                width(from, to),
                                high,
                                colour,
                                ReportPage.escaped(words)));
    }

    /** Five to ten even marks. */
    private void axis(int bottom) {
        long length = Math.max(1, outcome.durationMillis());
        long unit = 1000;
        while (length / unit > 10) {
            unit *= length / unit > 20 ? 5 : 2;
        }
        for (long at = 0; at <= length; at += unit) {
            svg.append(
                    "<path d=\"M%s %d v4\" stroke=\"currentColor\"/><text x=\"%s\" y=\"%d\" text-anchor=\"middle\">%d s</text>\n"
                            .formatted(x(at), bottom, x(at), bottom + 15, at / 1000));
        }
    }

    private void steps(int bottom) {
        int count = 0;
        for (Outcome.Mark mark : outcome.timeline()) {
            if (mark.lane().equals(Outcome.Mark.DRILL)) {
                count++;
                String x = x(mark.millis());
                svg.append("<g>")
                        .append(title(mark.millis(), mark.text()))
                        .append(
                                "<path d=\"M%s 14 V%d\" stroke=\"currentColor\" stroke-dasharray=\"2 3\" opacity=\".6\"/>"
                                        .formatted(x, bottom))
                        .append("<circle cx=\"%s\" cy=\"8\" r=\"7.5\" fill=\"#333\"/>".formatted(x))
                        .append(
                                "<text x=\"%s\" y=\"12\" text-anchor=\"middle\" fill=\"#fff\">%d</text></g>\n"
                                        .formatted(x, count));
            }
        }
    }

    private void legend(int top) {
        int left = LEFT;
        for (String state : COLOURS.keySet()) {
            svg.append(
                    "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/>"
                            .formatted(left, top - 9, COLOURS.get(state)));
            text(left + 14, top, state.toLowerCase(Locale.ROOT));
            left += 95;
        }
    }

    private void text(int left, int base, String words) {
        svg.append(
                "<text x=\"%d\" y=\"%d\">%s</text>%n"
                        .formatted(left, base, ReportPage.escaped(words)));
    }
}
