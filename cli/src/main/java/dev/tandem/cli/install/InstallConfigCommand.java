package dev.tandem.cli.install;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups what is done with the file itself. */
@Command(
        name = "install-config",
        header = "Check, explain or write an install-config for OpenShift's own installers.",
        description = {
            "For clusters that OpenShift's installers make: finds what they would refuse, or what"
                    + " would not fence, before they are started.",
            "This is not the way to a Tandem pair. No command of Tandem installs machines, or makes"
                + " a pair, from an install-config. A pair is made of two Debian machines from a"
                + " plan; all steps are in docs/guide/index.md of Tandem's sources. It begins"
                + " with:",
            "  tandem cluster plan example > plan.yaml"
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            InstallConfigValidateCommand.class,
            InstallConfigExplainCommand.class,
            InstallConfigCreateCommand.class,
            InstallConfigSchemaCommand.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem install-config create --file site.yaml",
            "  tandem install-config validate site.yaml --method agent",
            "  tandem create manifests site.yaml --method agent --dir cluster"
        })
final class InstallConfigCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
