package dev.tandem.lab.command.fault;

import dev.tandem.cli.ExitCode;
import dev.tandem.lab.command.LabName;
import dev.tandem.lab.spec.LabRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Keeps a copy of etcd's disk. */
@Command(
        name = "snapshot",
        header = "Keep a copy of what etcd's disk in a node holds now.",
        description =
                "'tandem lab roll-back' puts it back. Only the latest copy of each node is kept.",
        footerHeading = "%nExamples:%n",
        footer = "  tandem lab snapshot node-1")
public final class LabSnapshotCommand implements Callable<Integer> {
    @Mixin private LabName name = new LabName();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Override
    public Integer call() {
        name.client(node).ask(new LabRequest.Snapshot(node));
        return ExitCode.FINE;
    }
}
