package dev.tandem.cli.install;

import dev.tandem.cli.install.CredentialCheck.Report;
import dev.tandem.install.check.Finding;
import dev.tandem.install.check.Severity;
import dev.tandem.install.config.AgentConfig;
import dev.tandem.install.rules.InstallConfigCheck;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What is answered about a file, for people and programs. */
record Verdict(
        String file,
        boolean good,
        long errors,
        long warnings,
        long notes,
        List<Item> findings,
        List<Report> bmcs) {
    Verdict {
        findings = List.copyOf(findings);
        bmcs = List.copyOf(bmcs);
    }

    /** One finding. */
    record Item(
            String code,
            String severity,
            String file,
            String path,
            int line,
            int column,
            String what,
            String why,
            String remedy) {}

    static Verdict of(ConfigFile file, InstallConfigCheck.Result result, List<Report> bmcs) {
        boolean bmcsFine = bmcs.stream().allMatch(Report::fine);
        return new Verdict(
                file.name(),
                result.good() && bmcsFine,
                result.count(Severity.ERROR),
                result.count(Severity.WARNING),
                result.count(Severity.NOTE),
                result.findings().stream().map(finding -> item(file, finding)).toList(),
                bmcs);
    }

    private static Item item(ConfigFile file, Finding finding) {
        String path = finding.place().path();
        boolean inAgentConfig =
                path.equals(AgentConfig.PLACE) || path.startsWith(AgentConfig.PLACE + ".");
        return new Item(
                finding.code().name(),
                finding.severity().name().toLowerCase(Locale.ROOT),
                inAgentConfig ? file.agentConfig().map(Object::toString).orElse("") : file.name(),
                inAgentConfig ? path.replaceFirst("^" + AgentConfig.PLACE + "\\.?", "") : path,
                finding.place().line(),
                finding.place().column(),
                finding.what(),
                finding.why(),
                finding.remedyIn(file.name()));
    }

    String asText() {
        StringBuilder text = new StringBuilder();
        for (Item item : findings) {
            text.append(item.file());
            if (item.line() > 0) {
                text.append(':').append(item.line()).append(':').append(item.column());
            }
            text.append(": ").append(item.severity()).append(' ').append(item.code());
            text.append(": ").append(item.what()).append('\n');
            if (!item.path().isEmpty()) {
                text.append("  at:    ").append(item.path()).append('\n');
            }
            text.append("  cause: ").append(item.why()).append('\n');
            text.append("  fix:   ").append(item.remedy()).append("\n\n");
        }
        for (Report bmc : bmcs) {
            text.append(bmc.asText()).append('\n');
        }
        text.append(summary());
        return text.toString();
    }

    private String summary() {
        String counts =
                "%s, %s, %s"
                        .formatted(
                                counted(errors, "error"),
                                counted(warnings, "warning"),
                                counted(notes, "note"));
        if (good) {
            return "%s is valid (%s).".formatted(file, counts);
        }
        // They are asked only about a file without errors.
        String unfit =
                bmcs.stream()
                        .filter(bmc -> !bmc.fine())
                        .map(Report::node)
                        .collect(Collectors.joining(" and that of "));
        return unfit.isEmpty()
                ? "%s is not valid: %s.".formatted(file, counts)
                : "%s is valid (%s). What failed is the check of the BMC of %s: see above."
                        .formatted(file, counts, unfit);
    }

    private static String counted(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
