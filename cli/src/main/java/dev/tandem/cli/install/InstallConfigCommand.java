package dev.tandem.cli.install;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups what is done with the file itself. */
@Command(
        name = "install-config",
        header = "Write, check and explain the one file a cluster is made from.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ValidateCommand.class,
            ExplainCommand.class,
            InstallConfigCreateCommand.class,
            SchemaCommand.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem install-config create --file site.yaml",
            "  tandem install-config validate site.yaml",
            "  tandem create manifests site.yaml --dir cluster"
        })
final class InstallConfigCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
