package dev.tandem.lab.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The parent of the lab's commands. */
@Command(
        name = "lab",
        header = "Two Debian nodes on this machine, each with a virtual BMC.",
        description = {
            "A lab is two (or three) Debian systems under systemd on this machine, with a cluster",
            "network, a fencing network, a Redfish BMC each, and faults on demand. Needs root."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            LabUpCommand.class,
            LabDownCommand.class,
            LabStatusCommand.class,
            LabListCommand.class,
            LabShellCommand.class,
            LabKubectlCommand.class,
            LabKubeconfigCommand.class,
            LabLogsCommand.class,
            LabRelayCommand.class,
            LabTimelineCommand.class,
            LabGcCommand.class,
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab up                     a pair of nodes; takes a few minutes",
            "  tandem lab shell node-0           a root shell in the first",
            "  tandem lab kubectl get nodes      as the administrator of its Kubernetes",
            "  tandem lab power node-1 off       as its BMC does it",
            "  tandem lab down                   ends the lab; timeline and caches stay"
        })
final class LabCommand implements Runnable {
    // picocli sets it before anything runs.
    @SuppressWarnings("NullAway.Init")
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
