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
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    public LabRollBackCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        name.client(node).ask(new LabRequest.RollBack(node));
        new Done("put the copy of etcd's disk of " + node + " back").print(output, terminal);
        return ExitCode.FINE;
    }
}
