package dev.tandem.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root command. */
@Command(
        name = "tandem",
        header = "Keeps a Kubernetes control plane alive on exactly two machines.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {HelpCommand.class, VersionCommand.class, CompletionCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem cluster plan example > plan.yaml   the first step towards a pair",
            "  tandem status                             on a node: can either node fail?",
            "  tandem help status                        what a command does",
            "  tandem version -o json                    for scripts",
            "",
            "Exit codes: 0 fine, 1 something was found wrong, 2 wrong usage, 3 could not be done."
        })
final class Tandem implements Runnable {
    @Spec private CommandSpec spec;

    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description = "Show the stack trace of a failure.")
    private boolean debug;

    @Option(
            names = "--no-color",
            scope = ScopeType.INHERIT,
            description = "Print no colours, as with NO_COLOR set.")
    private boolean noColour;

    boolean debug() {
        return debug;
    }

    boolean noColour() {
        return noColour;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
