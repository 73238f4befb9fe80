package dev.tandem.cli.node;

import dev.tandem.core.Failure;
import dev.tandem.host.etcd.ReplicaDirectory;
import dev.tandem.host.plan.ClusterPlan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
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

    /**
     * The replicas of this machine.
     *
     * @param cannot what cannot be done where it has none, or where this user may not see them
     */
    static ReplicaDirectory on(Path directory, String cannot) {
        if (Files.notExists(directory) && Files.notExists(ClusterPlan.INSTALLED)) {
            throw new Failure(
                    cannot,
                    "neither %s nor %s exists, so this machine is not a node of a pair"
                            .formatted(directory, ClusterPlan.INSTALLED),
                    "run this on a node");
        }
        if (Files.exists(directory)
                && !(Files.isReadable(directory) && Files.isExecutable(directory))) {
            throw new Failure(cannot, directory + " is root's", "run this as root");
        }
        return new ReplicaDirectory(directory, InstantSource.system());
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
