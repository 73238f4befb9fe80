package dev.tandem.lab.command;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.UsageException;
import dev.tandem.lab.spec.LabStatus;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Makes a port of a node reachable from the host. */
@Command(
        name = "relay",
        header = "Forward a free port of 127.0.0.1 to a port of a node.",
        footerHeading = "%nExamples:%n",
        footer = "  tandem lab relay node-0 2379")
final class LabRelayCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Parameters(index = "1", paramLabel = "PORT", description = "Which port of it.")
    private int port;

    LabRelayCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (port < 1 || port > 65535) {
            throw new UsageException(
                    "invalid port: " + port,
                    "a port is a number from 1 to 65535",
                    "for example: tandem lab relay node-0 2379");
        }
        LabStatus.Relayed relay = name.client(node).relay(node, port);
        output.print(terminal, "LabRelay", relay, opened -> "127.0.0.1:" + opened.hostPort());
        return ExitCode.FINE;
    }
}
