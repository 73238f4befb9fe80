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

/** Let a frozen node go on. */
@Command(
        name = "thaw",
        header = "Let a frozen node go on.",
        description = "Its processes notice only that time has passed.",
        footerHeading = "%nExamples:%n",
        footer = "  tandem lab thaw node-1")
public final class LabThawCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    public LabThawCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        name.client(node).ask(new LabRequest.Freeze(node, false));
        new Done(node + " goes on").print(output, terminal);
        return ExitCode.FINE;
    }
}
