package dev.tandem.cli.cluster;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The pair as a whole. */
@Command(
        name = "cluster",
        header = "Set up a pair of nodes, and keep it as its plan says.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ClusterPlanCommand.class,
            ClusterApplyCommand.class,
            ClusterPrepareCommand.class,
            ClusterKubernetesCommand.class,
            ClusterRolesCommand.class,
            ClusterTokenCommand.class,
            ClusterIdentityCommand.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem cluster plan example > plan.yaml    every field, commented",
            "  tandem cluster plan validate plan.yaml     what is wrong with it",
            "  tandem cluster prepare PLAN.yaml           on both nodes",
            "  tandem cluster apply PLAN.yaml             then on one of them",
            "",
            "Both nodes need the plan with its files."
        })
final class ClusterCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
