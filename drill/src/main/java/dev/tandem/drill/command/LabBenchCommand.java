package dev.tandem.drill.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The parent of the benchmarks. */
@Command(
        name = "bench",
        header = "Measure the lab.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {LabBenchBootCommand.class, LabBenchCrashCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab bench boot --runs 10", "  tandem lab bench crash --runs 10"})
public final class LabBenchCommand implements Runnable {
    // picocli sets it before anything runs.
    @SuppressWarnings("NullAway.Init")
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
