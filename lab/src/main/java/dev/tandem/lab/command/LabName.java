package dev.tandem.lab.command;

import dev.tandem.cli.UsageException;
import dev.tandem.core.Failure;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.lab.LabClient;
import dev.tandem.lab.image.HostPackages;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabPaths;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.LabStatus;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** Which lab a command is about. */
public final class LabName {
    @Option(
            names = "--name",
            paramLabel = "LAB",
            defaultValue = LabSpec.DEFAULT_NAME,
            description = "Which lab (default: ${DEFAULT-VALUE}).")
    private String name = LabSpec.DEFAULT_NAME;

    public String value() {
        return name;
    }

    /** Root comes first: who may not look must not be told that there is nothing. */
    public LabClient client() {
        HostPackages.requireRoot();
        return new LabClient(new LabFiles(LabPaths.ofHost(), name));
    }

    /** The same for a question about one node, which has to be one of the lab's. */
    public LabClient client(String node) {
        LabClient client = client();
        requireNode(
                name, node, client.status().nodes().stream().map(LabStatus.Node::name).toList());
        return client;
    }

    static void requireNode(String lab, String node, List<String> nodes) {
        if (!nodes.contains(node)) {
            throw new UsageException(
                    "unknown node in lab %s: %s".formatted(lab, node),
                    "it has " + String.join(", ", nodes),
                    "name one of those");
        }
    }

    /** Refused before a lab is started for it. */
    public static void requireProfile(String profile) {
        if (ClusterPlan.Timing.profile(profile).isEmpty()) {
            throw new UsageException(
                    "unknown profile: " + profile,
                    "the profiles are default, fast and tolerant",
                    "name one of those");
        }
    }

    /** What is typed wrongly is wrong usage, whoever finds it. */
    public static <T> T typed(Supplier<T> value) {
        try {
            return value.get();
        } catch (Failure e) {
            throw new UsageException(e.what(), e.why(), e.remedy());
        }
    }
}
