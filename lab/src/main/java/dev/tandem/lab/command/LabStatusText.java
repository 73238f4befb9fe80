package dev.tandem.lab.command;

import dev.tandem.lab.spec.LabStatus;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A lab's status for people. */
final class LabStatusText {
    private LabStatusText() {}

    static String of(LabStatus status) {
        StringBuilder text = new StringBuilder();
        text.append("lab \"%s\" %s%n".formatted(status.name(), sentence(status)));
        for (LabStatus.Node node : status.nodes()) {
            text.append(
                    "  %-8s  %-7s  %-28s  bmc %s%s%n"
                            .formatted(
                                    node.name(),
                                    node.state().name().toLowerCase(Locale.ROOT),
                                    node.addresses().values().stream()
                                            .flatMap(List::stream)
                                            .sorted()
                                            .collect(Collectors.joining(" ")),
                                    node.bmc(),
                                    node.memoryMib() == 0 ? "" : "  " + node.memoryMib() + " MB"));
        }
        for (LabStatus.Relayed relay : status.relays()) {
            text.append(
                    "  127.0.0.1:%-6d %s (%s)%n"
                            .formatted(relay.hostPort(), relay.what(), relay.target()));
        }
        for (String fault : status.faults()) {
            text.append("  fault: ").append(fault).append(System.lineSeparator());
        }
        return text.toString();
    }

    private static String sentence(LabStatus status) {
        if (!status.faults().isEmpty()) {
            return "has injected faults";
        }
        return status.ready() ? "is up" : "is only partly up";
    }
}
