package dev.tandem.lab.command.fault;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.command.LabName;
import dev.tandem.lab.spec.LabRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Has the kernel hold processes in a node. */
@Command(
        name = "hold",
        header = "Make all processes of a given name on a node unkillable.",
        description = {
            "They do not run and no signal ends them, as with a process that waits for a dead"
                    + " disk.",
            "Lasts until tandem lab heal, or until the power of the node is cut."
        },
        footerHeading = "%nExamples:%n",
        footer = "  tandem lab hold node-0 etcd")
public final class LabHoldCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Parameters(index = "1", paramLabel = "PROCESS", description = "Name of the program.")
    private String process = "";

    public LabHoldCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        int count = name.client(node).ask(new LabRequest.Hold(node, process)).path("count").asInt();
        terminal.out()
                .println(
                        "the kernel of %s holds %d %s"
                                .formatted(node, count, count == 1 ? "process" : "processes"));
        return ExitCode.FINE;
    }
}
