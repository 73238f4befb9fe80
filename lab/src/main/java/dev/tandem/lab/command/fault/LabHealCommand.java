package dev.tandem.lab.command.fault;

import dev.tandem.cli.ExitCode;
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
    @Mixin private LabName name = new LabName();

    @Option(names = "--network", paramLabel = "NET", description = "Only this network.")
    private String network = "";

    @Override
    public Integer call() {
        name.client().ask(new LabRequest.Heal(network));
        return ExitCode.FINE;
    }
}
