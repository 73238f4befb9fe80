package dev.tandem.cli.cluster;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The power buttons of the pair. */
@Command(
        name = "fencing",
        header = "Check the BMCs through which the nodes fence each other.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = FencingCheckCommand.class,
        footerHeading = "%nExamples:%n",
        footer = "  tandem fencing check")
final class FencingCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
