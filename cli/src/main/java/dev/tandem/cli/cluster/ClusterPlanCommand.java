package dev.tandem.cli.cluster;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What helps to write a plan. */
@Command(
        name = "plan",
        header = "Help to write a plan: an example, a check, and a schema for editors.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            PlanExampleCommand.class,
            PlanValidateCommand.class,
            PlanSchemaCommand.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem cluster plan example > plan.yaml",
            "  tandem cluster plan validate plan.yaml",
            "  tandem cluster plan schema > plan.schema.json"
        })
final class ClusterPlanCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
