package dev.tandem.lab.command;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.spec.LabStatus;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Tells how a lab is. */
@Command(
        name = "status",
        header = "Show a lab: nodes, addresses, ports on this host, faults.",
        description = "Exits with 1 when a node is not up or a fault is in force.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab status", "  tandem lab status -o json"})
final class LabStatusCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    LabStatusCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        LabStatus status = name.client().status();
        output.print(terminal, "LabStatus", status, LabStatusText::of);
        return status.ready() && status.faults().isEmpty() ? ExitCode.FINE : ExitCode.FINDING;
    }
}
