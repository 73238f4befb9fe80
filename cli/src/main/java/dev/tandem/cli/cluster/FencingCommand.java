package dev.tandem.cli.cluster;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The power buttons of the pair. */
@Command(
        name = "fencing",
        header =
                "Check the BMCs through which the nodes fence each other, and change how they are"
                        + " reached.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {FencingCheckCommand.class, FencingSetCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {"  tandem fencing check", "  tandem fencing set node-1 --password-stdin"})
final class FencingCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
