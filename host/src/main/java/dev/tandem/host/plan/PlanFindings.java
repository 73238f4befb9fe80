package dev.tandem.host.plan;

import dev.tandem.host.yaml.YamlNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Everything that is wrong with a plan, each with its line. */
final class PlanFindings {
    private final List<Finding> findings = new ArrayList<>();

    private record Finding(int line, String what) {}

    void add(int line, String what) {
        findings.add(new Finding(line, what));
    }

    void add(YamlNode node, String what) {
        add(node.line(), what);
    }

    boolean isEmpty() {
        return findings.isEmpty();
    }

    int size() {
        return findings.size();
    }

    /** One line each, in the order of the plan. */
    String text() {
        return findings.stream()
                .sorted(Comparator.comparingInt(Finding::line))
                .map(finding -> "line " + finding.line + ": " + finding.what)
                .distinct()
                .collect(Collectors.joining("\n         "));
    }
}
