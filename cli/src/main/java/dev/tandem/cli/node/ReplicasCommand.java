package dev.tandem.cli.node;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The replicas of this node. */
@Command(
        name = "replicas",
        header = "See which replicas of the database this node has, and put a kept one back.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ReplicasListCommand.class, ReplicasRestoreCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {"  tandem replicas list", "  tandem replicas restore NAME --dry-run"})
final class ReplicasCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
