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

/** Makes the disks of a node slow. */
@Command(
        name = "stall-disks",
        header = "Repeatedly stall the disks that hold etcd's and Tandem's data on a node.",
        description = {
            "Whoever writes or syncs there waits that long each time.",
            "Lasts until it is ended: tandem lab heal"
        },
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab stall-disks node-0 2000", "  tandem lab stall-disks node-0 0"})
public final class LabStallDisksCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Parameters(
            index = "1",
            paramLabel = "MS",
            description = "How long each stall lasts; 0 ends it.")
    private int millis;

    public LabStallDisksCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        name.client(node).ask(new LabRequest.StallDisks(node, millis));
        new Done(
                        millis == 0
                                ? "the disks of " + node + " are not stalled any more"
                                : "the disks of %s stall for %d ms each time, until: tandem lab heal"
                                        .formatted(node, millis))
                .print(output, terminal);
        return ExitCode.FINE;
    }
}
