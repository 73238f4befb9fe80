package dev.tandem.host.pacemaker.cib;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.IoErrors;
import dev.tandem.host.NodePaths;
import dev.tandem.host.pacemaker.Pacemaker;
import dev.tandem.host.plan.Change;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The running cluster's configuration. A change is one patch from the version that was read to the
 * next: Pacemaker refuses it when anything else has changed since, so that no older view overwrites
 * a newer one, and then everything starts over with what is there now.
 */
public final class CibStore {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Where Pacemaker keeps the configuration while it is down. */
    private static final String FILE = NodePaths.CIB.toString();

    /**
     * The status changes for a while after each change of the configuration, a few times a second.
     */
    private static final int ATTEMPTS = 10;

    /** CRM_EX_OLD: the patch begins at a version that is no longer the current one. */
    private static final int STALE = 103;

    private final Commands commands;

    public CibStore(Commands commands) {
        this.commands = commands;
    }

    /**
     * The configuration of the cluster, not of a file or a remote one: without Pacemaker it fails.
     */
    public Cib read() {
        return read("here", List.of("cibadmin", "--query"));
    }

    /** As the Pacemaker of one node has it; it comes after all changes that were ordered before. */
    private Cib readAt(String node) {
        return read("on " + node, List.of("cibadmin", "--query", "--node", node));
    }

    private Cib read(String where, List<String> command) {
        Commands.Output output = commands.run(LIMIT, command);
        if (!output.ok()) {
            throw new Failure(
                    "cannot read the cluster's configuration",
                    Pacemaker.said(output),
                    "check that Pacemaker runs %s: systemctl status pacemaker".formatted(where));
        }
        return Cib.parse(output.out());
    }

    /**
     * Gives a cluster that has never run its first configuration, in the file that Pacemaker on
     * this node will read when it starts. The first election then need not wait dc-deadtime, which
     * is 20 s unless the configuration says otherwise: both nodes are about to be started.
     *
     * <p>It has a higher admin epoch than the empty one that the peer begins with. Were it only an
     * ordinary epoch ahead, the two could draw level while they join, and each node would keep its
     * own: what is changed on the one would then never reach the other.
     */
    public void prepareFirstStart() {
        Commands.Output empty = commands.run(LIMIT, List.of("cibadmin", "--empty"));
        if (!empty.ok()) {
            throw new Failure(
                    "cannot form a first configuration of the cluster",
                    Pacemaker.said(empty),
                    "check that the package pacemaker-cli-utils is installed");
        }
        String first =
                Cib.parse(empty.out())
                        .edited(new CibPlan(Map.of("dc-deadtime", "1s"), List.of()))
                        .supreme()
                        .toXml();
        Commands.Output written =
                commands.run(
                        LIMIT,
                        List.of(
                                "install",
                                "--owner=hacluster",
                                "--group=haclient",
                                "--mode=0600",
                                "/dev/stdin",
                                FILE),
                        first);
        if (!written.ok()) {
            throw new Failure(
                    "cannot write the first configuration of the cluster",
                    Pacemaker.said(written),
                    "check free space and permissions of " + FILE);
        }
    }

    /**
     * Makes the configuration as desired and reads back that it is, from each node.
     *
     * @param nodes the nodes of the plan; a configuration that knows others is left alone
     * @return what was changed; nothing when it was as desired
     */
    public List<Change> apply(CibPlan desired, Set<String> nodes) {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            Cib actual = read();
            refuseToShrink(actual.nodes(), nodes);
            List<Change> changes = actual.changesTo(desired);
            if (changes.isEmpty() || patched(actual, actual.edited(desired).next())) {
                nodes.forEach(node -> verify(desired, node));
                return changes;
            }
        }
        throw new Failure(
                "cannot change the cluster's configuration",
                "it was changed by somebody else " + ATTEMPTS + " times in a row",
                "see who changes it (journalctl -u pacemaker), then run this again");
    }

    /** A node that the cluster has and the plan lacks would lose its fencing, and its peer. */
    public static void refuseToShrink(Set<String> actual, Set<String> planned) {
        Set<String> lost = new TreeSet<>(actual);
        lost.removeAll(planned);
        if (!lost.isEmpty()) {
            throw new Failure(
                    "not applied: the plan would take "
                            + String.join(" and ", lost)
                            + " out of the cluster",
                    "the cluster has "
                            + actual.stream().sorted().collect(Collectors.joining(", "))
                            + ", the plan "
                            + planned.stream().sorted().collect(Collectors.joining(", ")),
                    "correct the names in the plan: a pair cannot lose or rename a node");
        }
    }

    /** False when the configuration was no longer the one we read. */
    private boolean patched(Cib actual, Cib wanted) {
        String patch = difference(actual, wanted);
        Commands.Output output =
                commands.run(LIMIT, List.of("cibadmin", "--patch", "--xml-pipe"), patch);
        if (output.exitCode() == STALE) {
            return false;
        }
        if (!output.ok()) {
            throw new Failure(
                    "cannot change the cluster's configuration",
                    Pacemaker.said(output),
                    "nothing was changed; look at the configuration with crm_verify --live-check");
        }
        return true;
    }

    /** crm_diff takes files only for texts of this size. */
    private String difference(Cib actual, Cib wanted) {
        try {
            Path directory =
                    Files.createTempDirectory(
                            "tandem-cib",
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rwx------")));
            Path before = directory.resolve("before.xml");
            Path after = directory.resolve("after.xml");
            try {
                Files.writeString(before, actual.toXml());
                Files.writeString(after, wanted.toXml());
                Commands.Output output =
                        commands.run(
                                LIMIT,
                                List.of(
                                        "crm_diff",
                                        "--original",
                                        before.toString(),
                                        "--new",
                                        after.toString()));
                // 1 says that they differ, as with diff(1).
                if (output.exitCode() != 1) {
                    throw new Failure(
                            "cannot form the change of the cluster's configuration",
                            Pacemaker.said(output),
                            "check that the package pacemaker-cli-utils is installed");
                }
                return output.out();
            } finally {
                Files.deleteIfExists(before);
                Files.deleteIfExists(after);
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw new Failure(
                    "cannot form the change of the cluster's configuration",
                    IoErrors.words(e),
                    "check free space and permissions of the directory for temporary files",
                    e);
        }
    }

    private void verify(CibPlan desired, String node) {
        List<Change> left = readAt(node).changesTo(desired);
        if (!left.isEmpty()) {
            throw new Failure(
                    "the cluster's configuration on " + node + " is not as it was set",
                    left.stream().map(Change::toString).collect(Collectors.joining("; ")),
                    "run this again; if that does not help, have that node load it again: pcs"
                            + " cluster stop"
                            + " %1$s && pcs cluster start %1$s".formatted(node));
        }
    }
}
