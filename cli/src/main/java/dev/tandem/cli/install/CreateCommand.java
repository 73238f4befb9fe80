package dev.tandem.cli.install;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups what is made from an install-config. */
@Command(
        name = "create",
        header = "Write manifests for OpenShift's installers, from an install-config.",
        description = {
            "Nothing is installed, and no pair is made: the manifests are for a cluster that"
                    + " OpenShift's own installer makes.",
            "A Tandem pair is made from a plan, which begins with:",
            "  tandem cluster plan example > plan.yaml"
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ManifestsCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {"  tandem create manifests site.yaml --method agent --dir cluster"})
final class CreateCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
