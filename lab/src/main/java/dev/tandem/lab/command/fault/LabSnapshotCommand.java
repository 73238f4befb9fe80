package dev.tandem.lab.command.fault;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
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
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    public LabSnapshotCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        name.client(node).ask(new LabRequest.Snapshot(node));
        new Done("kept a copy of etcd's disk of " + node).print(output, terminal);
        return ExitCode.FINE;
    }
}
