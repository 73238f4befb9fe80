package dev.tandem.cli.install;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups what is made from an install-config. */
@Command(
        name = "create",
        header = "Make what a new cluster needs.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ManifestsCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {"  tandem create manifests site.yaml --dir cluster"})
final class CreateCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
