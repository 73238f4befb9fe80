package dev.tandem.lab.command;

import dev.tandem.lab.LabClient;
import dev.tandem.lab.image.HostPackages;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabPaths;
import dev.tandem.lab.spec.LabSpec;
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
}
