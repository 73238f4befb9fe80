package dev.tandem.lab;

import picocli.CommandLine.Option;

/** Which lab a command is about. */
final class LabName {
    @Option(
            names = "--name",
            paramLabel = "LAB",
            defaultValue = LabSpec.DEFAULT_NAME,
            description = "Which lab (default: ${DEFAULT-VALUE}).")
    private String name = LabSpec.DEFAULT_NAME;

    String value() {
        return name;
    }

    /** Root comes first: who may not look must not be told that there is nothing. */
    LabClient client() {
        HostPackages.requireRoot();
        return new LabClient(new LabFiles(LabPaths.ofHost(), name));
    }
}
