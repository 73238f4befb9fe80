package dev.tandem.drill.report;

import java.util.Locale;

/** The report as a page that needs nothing but itself. */
final class ReportPage {
    private static final String STYLE =
            """
            :root{color-scheme:light dark;--line:#8886;--dim:#777}
            body{font:15px/1.45 system-ui,sans-serif;max-width:1120px;margin:2em auto;padding:0 1em}
            h1{font-size:1.5em}h2{font-size:1.15em;margin:2.2em 0 .2em}
            table{border-collapse:collapse;width:100%}
            th,td{text-align:left;padding:.25em .6em;border-bottom:1px solid var(--line)}
            td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
            .ok{color:#1a7f37}.bad{color:#c0262d;font-weight:600}.dim{color:var(--dim)}
            .facts{margin:.2em 0 .6em}svg{width:100%;height:auto;display:block}
            details{margin:.4em 0}summary{cursor:pointer}
            """;

    private final Report report;

    ReportPage(Report report) {
        this.report = report;
    }

    String html() {
        StringBuilder html = new StringBuilder();
        html.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width\">\n")
                .append("<title>Drill</title>\n<style>\n")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n<h1>Drill</h1>\n<p>")
                .append(escaped(report.sentence()))
                .append(" Profile ")
                .append(escaped(report.profile()))
                .append(".</p>\n");
        overview(html);
        report.scenarios().forEach(outcome -> scenario(html, outcome));
        return html.append("</body>\n</html>\n").toString();
    }

    private void overview(StringBuilder html) {
        html.append(
                "<table><thead><tr><th>scenario<th>timelines<th>verdict<th class=n>took"
                        + "<th class=n>longest gap<th class=n>predicted<th class=n>acknowledged"
                        + "<th class=n>lost<th class=n>fences</thead><tbody>\n");
        for (Outcome outcome : report.scenarios()) {
            html.append("<tr><td><a href=\"#%s\">%s</a>".formatted(outcome.name(), outcome.name()))
                    .append("<td>")
                    .append(String.join(" ", outcome.covers()))
                    .append("<td>")
                    .append(verdict(outcome));
            cell(html, seconds(outcome.durationMillis()));
            cell(html, seconds(outcome.longestGapMillis()));
            cell(html, Report.predicted(outcome));
            cell(html, Long.toString(outcome.acknowledged()));
            cell(html, lost(outcome));
            cell(html, Integer.toString(outcome.fences().size()));
            html.append("</tr>\n");
        }
        html.append("</tbody></table>\n");
    }

    private static void cell(StringBuilder html, String text) {
        html.append("<td class=n>").append(escaped(text));
    }

    private void scenario(StringBuilder html, Outcome outcome) {
        html.append("<h2 id=\"%s\">%s</h2>\n".formatted(outcome.name(), outcome.name()))
                .append("<p class=facts>")
                .append(escaped(outcome.title()))
                .append("<br>")
                .append(verdict(outcome))
                .append(
                        " in %s; longest write gap %s; %d writes acknowledged, %s lost; %d fences, %d running machines switched off; %s"
                                .formatted(
                                        seconds(outcome.durationMillis()),
                                        seconds(outcome.longestGapMillis()),
                                        outcome.acknowledged(),
                                        lost(outcome),
                                        outcome.fences().size(),
                                        outcome.shots(),
                                        String.join(", ", outcome.covers())))
                .append("</p>\n");
        if (!outcome.findings().isEmpty()) {
            html.append("<ul class=bad>");
            outcome.findings().forEach(finding -> html.append("<li>").append(escaped(finding)));
            html.append("</ul>\n");
        }
        html.append(new TimelinePicture(outcome).svg());
        predictions(html, outcome);
        figures(html, outcome);
        html.append(
                "<details><summary>%d events</summary><table>"
                        .formatted(outcome.timeline().size()));
        for (Outcome.Mark mark : outcome.timeline()) {
            html.append("<tr><td class=n>")
                    .append(seconds(mark.millis()))
                    .append("<td>")
                    .append(escaped(mark.lane()))
                    .append("<td>")
                    .append(escaped(mark.text()))
                    .append("</tr>\n");
        }
        html.append("</table></details>\n");
    }

    private static void predictions(StringBuilder html, Outcome outcome) {
        if (outcome.predicted().isEmpty()) {
            return;
        }
        html.append(
                "<table><tr><th>recovery from the loss of<th class=n>predicted<th class=n>was"
                        + "<th class=n>error</tr>\n");
        for (Outcome.Predicted recovery : outcome.predicted()) {
            html.append("<tr><td>").append(escaped(recovery.node()));
            cell(html, seconds(recovery.predictedMillis()));
            cell(html, seconds(recovery.measuredMillis()));
            cell(html, "%+d %%".formatted(recovery.errorPercent()));
            html.append("</tr>\n");
        }
        html.append("</table>\n");
    }

    private static void figures(StringBuilder html, Outcome outcome) {
        if (outcome.figures().isEmpty()) {
            return;
        }
        html.append("<table><tr><th>measured<th class=n>here<th class=n>asked for</tr>\n");
        for (Outcome.Figure figure : outcome.figures()) {
            Long bound = figure.boundMillis();
            html.append("<tr><td>")
                    .append(escaped(figure.what()))
                    .append("<td class=\"n%s\">".formatted(figure.within() ? "" : " bad"))
                    .append(seconds(figure.millis()))
                    .append("<td class=n>")
                    .append(bound == null ? "" : seconds(bound))
                    .append("</tr>\n");
        }
        html.append("</table>\n");
    }

    private static String verdict(Outcome outcome) {
        return outcome.passed() ? "<span class=ok>passed</span>" : "<span class=bad>failed</span>";
    }

    private static String lost(Outcome outcome) {
        Long lost = outcome.lost();
        return lost == null ? "unknown" : lost.toString();
    }

    static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
