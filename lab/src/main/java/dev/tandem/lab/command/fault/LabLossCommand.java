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

/** Loses packets. */
@Command(
        name = "loss",
        header = "Drop a share of a node's packets, both ways, for every protocol.",
        description = "Lasts until it is ended: tandem lab heal",
        footerHeading = "%nExamples:%n",
        footer = "  tandem lab loss node-0 20 --network cluster0")
public final class LabLossCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Parameters(index = "1", paramLabel = "PERCENT", description = "1 to 100.")
    private int percent;

    @Option(
            names = "--network",
            paramLabel = "NET",
            defaultValue = "cluster0",
            description = "Where (default: ${DEFAULT-VALUE}).")
    private String network = "cluster0";

    public LabLossCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        NetworkFault loss = LabName.typed(() -> new NetworkFault.Loss(network, node, percent));
        name.client(node).ask(new LabRequest.Inject(loss));
        new Done(
                        "%d %% of the packets of %s on %s are dropped, until: tandem lab heal"
                                .formatted(percent, node, network))
                .print(output, terminal);
        return ExitCode.FINE;
    }
}
