package dev.tandem.lab.command.fault;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.command.LabName;
import dev.tandem.lab.spec.LabRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes faults. */
@Command(
        name = "heal",
        header = "Remove the injected faults.",
        description = {
            "Networks, frozen nodes, full disks, plugs and BMCs. Nodes that are off stay off, and",
            "corrupted files stay corrupted."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab heal", "  tandem lab heal --network fence0"})
public final class LabHealCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Option(names = "--network", paramLabel = "NET", description = "Only this network.")
    private String network = "";

    public LabHealCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        name.client().ask(new LabRequest.Heal(network));
        new Done(
                        network.isEmpty()
                                ? "removed the injected faults"
                                : "removed the injected faults of " + network)
                .print(output, terminal);
        return ExitCode.FINE;
    }
}
