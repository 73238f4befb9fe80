package dev.tandem.lab.command.fault;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.command.LabName;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.NetworkFault;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Delays packets. */
@Command(
        name = "delay",
        header = "Delay a node's packets, each way, for every protocol.",
        description = "Lasts until it is ended: tandem lab heal",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab delay node-0 50",
            "  tandem lab delay node-0 300 --jitter 100 --network fence0"
        })
public final class LabDelayCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Parameters(index = "1", paramLabel = "MS", description = "Milliseconds, each way.")
    private int milliseconds;

    @Option(
            names = "--jitter",
            paramLabel = "MS",
            defaultValue = "0",
            description = "Jitter in milliseconds, more or less (default: ${DEFAULT-VALUE}).")
    private int jitter;

    @Option(
            names = "--network",
            paramLabel = "NET",
            defaultValue = "cluster0",
            description = "Where (default: ${DEFAULT-VALUE}).")
    private String network = "cluster0";

    public LabDelayCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        NetworkFault delay =
                LabName.typed(() -> new NetworkFault.Delay(network, node, milliseconds, jitter));
        name.client(node).ask(new LabRequest.Inject(delay));
        new Done(
                        "packets of %s on %s are delayed by %d ms each way, until: tandem lab heal"
                                .formatted(node, network, milliseconds))
                .print(output, terminal);
        return ExitCode.FINE;
    }
}
