package dev.tandem.lab.command.fault;

import dev.tandem.cli.ExitCode;
import dev.tandem.lab.command.LabName;
import dev.tandem.lab.spec.LabRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Puts an old copy of etcd's disk back. */
@Command(
        name = "roll-back",
        header = "Put the copy of etcd's disk back into a node that is off.",
        description = {
            "Like restoring a snapshot of a virtual machine, or a disk that loses what it claimed"
                    + " to have stored.",
            "'tandem lab heal' does not undo it."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab snapshot node-1", "  tandem lab roll-back node-1"})
public final class LabRollBackCommand implements Callable<Integer> {
    @Mixin private LabName name = new LabName();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Override
    public Integer call() {
        name.client(node).ask(new LabRequest.RollBack(node));
        return ExitCode.FINE;
    }
}
