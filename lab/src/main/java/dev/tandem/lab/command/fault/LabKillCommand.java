package dev.tandem.lab.command.fault;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.command.LabName;
import dev.tandem.lab.spec.LabRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Signals processes in a node. */
@Command(
        name = "kill",
        header = "Send a signal to all processes of a given name on a node.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab kill node-0 etcd",
            "  tandem lab kill node-0 corosync --signal STOP"
        })
public final class LabKillCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Parameters(index = "1", paramLabel = "PROCESS", description = "Name of the program.")
    private String process = "";

    @Option(
            names = "--signal",
            defaultValue = "KILL",
            description = "Which signal (default: ${DEFAULT-VALUE}).")
    private String signal = "KILL";

    public LabKillCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        int count =
                name.client(node)
                        .ask(new LabRequest.Kill(node, process, signal))
                        .path("count")
                        .asInt();
        terminal.out()
                .println(
                        "sent %s to %d %s on %s"
                                .formatted(
                                        signal, count, count == 1 ? "process" : "processes", node));
        return ExitCode.FINE;
    }
}
