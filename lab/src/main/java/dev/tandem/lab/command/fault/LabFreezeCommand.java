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

/** Stop every process of a node, as a hung kernel does. */
@Command(
        name = "freeze",
        header = "Stop every process of a node, as a hung kernel does.",
        description = "The links stay up and the kernel below still answers pings. Ends with thaw.",
        footerHeading = "%nExamples:%n",
        footer = "  tandem lab freeze node-1")
public final class LabFreezeCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    public LabFreezeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        name.client(node).ask(new LabRequest.Freeze(node, true));
        new Done(node + " is frozen, until: tandem lab thaw " + node).print(output, terminal);
        return ExitCode.FINE;
    }
}
