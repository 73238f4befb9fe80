package dev.tandem.host.plan;

import dev.tandem.host.yaml.YamlNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Everything that is wrong with a plan, each with its line. */
final class PlanFindings {
    private final List<PlanFinding> findings = new ArrayList<>();

    void add(int line, String field, String what) {
        findings.add(new PlanFinding(line, field, what));
    }

    void add(YamlNode node, String field, String what) {
        add(node.line(), field, what);
    }

    boolean isEmpty() {
        return findings.isEmpty();
    }

    int size() {
        return findings.size();
    }

    /** In the order of the plan. */
    List<PlanFinding> all() {
        return findings.stream()
                .sorted(Comparator.comparingInt(PlanFinding::line))
                .distinct()
                .toList();
    }

    /** One line each. */
    String text() {
        return all().stream()
                .map(finding -> "line " + finding.line() + ": " + finding.what())
                .distinct()
                .collect(Collectors.joining("\n         "));
    }
}
