package dev.tandem.lab.command.fault;

import dev.tandem.cli.ExitCode;
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
    @Mixin private LabName name = new LabName();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Override
    public Integer call() {
        name.client(node).ask(new LabRequest.Freeze(node, true));
        return ExitCode.FINE;
    }
}
