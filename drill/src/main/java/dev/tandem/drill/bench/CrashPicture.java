package dev.tandem.drill.bench;

import java.util.List;
import java.util.Locale;

/** Runs of the bench as a picture: a bar each, from the incident to the first write, by phases. */
public final class CrashPicture {
    private static final List<String> PHASES =
            CrashBench.PHASES.subList(0, CrashBench.PHASES.indexOf(CrashBench.FIRST_WRITE) + 1);
    private static final List<String> COLOURS =
            List.of("#b9c4d0", "#8fa8c4", "#5b84b1", "#3c6997", "#2a9d8f", "#e9b44c");

    private static final int LEFT = 150;
    private static final int WIDTH = 760;
    private static final int BAR = 9;
    private static final int PITCH = 12;
    private static final int TOP = 64;

    private CrashPicture() {}

    /** An SVG that stands on its own. */
    public static String of(String title, List<CrashBench.Run> runs) {
        long longest =
                runs.stream()
                        .mapToLong(run -> run.millis().getOrDefault(CrashBench.FIRST_WRITE, 0L))
                        .max()
                        .orElse(0);
        long scale = Math.max(1000, (longest / 1000 + 1) * 1000);
        int height = TOP + runs.size() * PITCH + 40;
        StringBuilder svg = new StringBuilder();
        svg.append(
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" \
                font-family="sans-serif" font-size="11" role="img" aria-label="%s">
                <rect width="100%%" height="100%%" fill="white"/>
                <text x="12" y="20" font-size="14">%s</text>
                """
                        .formatted(LEFT + WIDTH + 30, height, escaped(title), escaped(title)));
        legend(svg);
        seconds(svg, scale, height);
        for (int i = 0; i < runs.size(); i++) {
            bar(svg, runs.get(i), TOP + i * PITCH, scale);
        }
        return svg.append("</svg>\n").toString();
    }

    private static void legend(StringBuilder svg) {
        for (int i = 0; i < PHASES.size(); i++) {
            int x = 12 + i * 130;
            svg.append(
                    "<rect x=\"%d\" y=\"32\" width=\"10\" height=\"10\" fill=\"%s\"/>"
                            .formatted(x, COLOURS.get(i)));
            svg.append("<text x=\"%d\" y=\"41\">%s</text>%n".formatted(x + 15, PHASES.get(i)));
        }
    }

    private static void seconds(StringBuilder svg, long scale, int height) {
        long step = scale > 20_000 ? 5_000 : 1_000;
        for (long at = 0; at <= scale; at += step) {
            String x = number(LEFT + (double) WIDTH * at / scale);
            svg.append(
                    "<line x1=\"%s\" x2=\"%s\" y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>"
                            .formatted(x, x, TOP - 6, height - 26));
            svg.append(
                    "<text x=\"%s\" y=\"%d\" text-anchor=\"middle\">%d s</text>%n"
                            .formatted(x, height - 12, at / 1000));
        }
    }

    private static void bar(StringBuilder svg, CrashBench.Run run, int y, long scale) {
        svg.append(
                "<text x=\"12\" y=\"%d\">%s%s%s</text>"
                        .formatted(
                                y + BAR,
                                escaped(run.victim()),
                                run.wasLeader() ? ", leader" : "",
                                run.megabytes() == 0 ? "" : ", %d MB".formatted(run.megabytes())));
        long from = 0;
        for (int i = 0; i < PHASES.size(); i++) {
            Long to = run.millis().get(PHASES.get(i));
            if (to == null || to <= from) {
                continue;
            }
            svg.append(
                    "<rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" fill=\"%s\"><title>%s: %d ms</title></rect>"
                            .formatted(
                                    number(LEFT + (double) WIDTH * from / scale),
                                    y,
                                    number((double) WIDTH * (to - from) / scale),
                                    BAR,
                                    COLOURS.get(i),
                                    PHASES.get(i),
                                    to));
            from = to;
        }
        svg.append('\n');
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
