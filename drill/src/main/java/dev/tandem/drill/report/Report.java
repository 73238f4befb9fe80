package dev.tandem.drill.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * What came of a whole drill.
 *
 * @param profile the timings of the pair
 * @param findings about the whole, beside those of its scenarios
 */
public record Report(
        String profile, int played, int failed, List<String> findings, List<Outcome> scenarios) {
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .defaultPropertyInclusion(
                            JsonInclude.Value.construct(
                                    JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
                    .build();

    public Report {
        findings = List.copyOf(findings);
        scenarios = List.copyOf(scenarios);
    }

    public static Report of(String profile, List<Outcome> outcomes) {
        return of(profile, List.of(), outcomes);
    }

    public static Report of(String profile, List<String> findings, List<Outcome> outcomes) {
        return new Report(
                profile,
                outcomes.size(),
                (int) outcomes.stream().filter(outcome -> !outcome.passed()).count(),
                findings,
                outcomes);
    }

    public boolean passed() {
        return failed == 0 && findings.isEmpty();
    }

    /** One sentence first, then a line a scenario, then what did not hold. */
    public String asText() {
        StringBuilder text = new StringBuilder(sentence()).append("\n\n");
        text.append(
                "%-34s %-8s %9s %9s %15s %8s %5s %6s%n"
                        .formatted(
                                "",
                                "verdict",
                                "took",
                                "gap",
                                "predicted",
                                "acked",
                                "lost",
                                "fences"));
        for (Outcome outcome : scenarios) {
            Long lost = outcome.lost();
            text.append(
                    "%-34s %-8s %7.1f s %7.1f s %15s %8d %5s %6d%n"
                            .formatted(
                                    outcome.name(),
                                    outcome.passed() ? "passed" : "FAILED",
                                    outcome.durationMillis() / 1000.0,
                                    outcome.longestGapMillis() / 1000.0,
                                    predicted(outcome),
                                    outcome.acknowledged(),
                                    lost == null ? "?" : lost.toString(),
                                    outcome.fences().size()));
        }
        for (Outcome outcome : scenarios) {
            for (String finding : outcome.findings()) {
                text.append("%n%s: %s".formatted(outcome.name(), finding));
            }
        }
        return text.append('\n').toString();
    }

    /** Of several the one that was furthest off; the JSON has all. */
    static String predicted(Outcome outcome) {
        return outcome.worstPredicted()
                .map(recovery ->
                        String.format(
                                Locale.ROOT,
                                "%.1f, was %.1f s",
                                recovery.predictedMillis() / 1000.0,
                                recovery.measuredMillis() / 1000.0))
                .orElse("");
    }

    public String sentence() {
        long acknowledged = scenarios.stream().mapToLong(Outcome::acknowledged).sum();
        long lost =
                scenarios.stream()
                        .map(Outcome::lost)
                        .filter(Objects::nonNull)
                        .mapToLong(Long::longValue)
                        .sum();
        int kills = scenarios.stream().mapToInt(Outcome::agentKills).sum();
        return "%d of %d scenarios passed; %d writes acknowledged, %d lost.%s%s"
                .formatted(
                        played - failed,
                        played,
                        acknowledged,
                        lost,
                        kills == 0
                                ? ""
                                : " Agents killed: %d; what the scenarios expect was not judged."
                                        .formatted(kills),
                        findings.isEmpty() ? "" : " FAILED: " + String.join("; ", findings) + ".");
    }

    /** Writes report.json and report.html. */
    public void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("report.json"), MAPPER.writeValueAsString(this) + "\n");
        Files.writeString(directory.resolve("report.html"), new ReportPage(this).html());
    }
}
