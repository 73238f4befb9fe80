package dev.tandem.host.pacemaker.setup;

import dev.tandem.core.Failure;
import dev.tandem.core.Runbook;
import dev.tandem.host.Commands;
import dev.tandem.host.pacemaker.Pacemaker;
import dev.tandem.host.plan.ClusterPlan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * pcs and pcsd, for what concerns all nodes at once: trust, the first set-up, corosync.conf,
 * starting. The token goes by file; nothing secret stands in a command.
 */
final class Pcs {
    /** pcs needs a second to start, and pcsd of a booting node some to answer. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Starting waits for two systemds that start Corosync and Pacemaker. */
    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    private static final Pattern ONLINE = Pattern.compile("(?m)^\\s*(\\S+): Online\\s*$");

    private final Commands commands;
    private final Path knownHosts;

    /**
     * @param knownHosts where pcs notes whom it has a token for; while it is missing, nobody need
     *     be asked
     */
    Pcs(Commands commands, Path knownHosts) {
        this.commands = commands;
        this.knownHosts = knownHosts;
    }

    /** The nodes whose pcsd does not take our token, or does not answer. */
    Set<String> unauthorized(ClusterPlan plan) {
        List<String> command = new ArrayList<>(List.of("pcs", "status", "pcsd"));
        plan.nodes().forEach(node -> command.add(node.name()));
        Set<String> missing = new TreeSet<>(plan.nodeNames());
        if (!Files.exists(knownHosts)) {
            return missing;
        }
        Matcher online = ONLINE.matcher(commands.run(LIMIT, command).out());
        while (online.find()) {
            missing.remove(online.group(1));
        }
        return missing;
    }

    /** From now on this node's pcsd takes orders with that token. */
    void accept(Path tokenFile) {
        run(
                "let pcsd on this node accept the token",
                "check that pcsd runs: systemctl status pcsd",
                LIMIT,
                List.of("pcs", "pcsd", "accept_token", tokenFile.toString()));
    }

    /** Uses the token towards all nodes, and checks that they take it. */
    void authorize(ClusterPlan plan, Path tokenFile) {
        List<String> command = new ArrayList<>(List.of("pcs", "host", "auth"));
        for (ClusterPlan.Node node : plan.nodes()) {
            command.add(node.name());
            command.add("addr=" + node.address());
        }
        command.add("--token");
        command.add(tokenFile.toString());
        run(
                "make the nodes known to pcsd",
                "check that pcsd runs on both nodes: systemctl status pcsd",
                LIMIT,
                command);
        Set<String> missing = unauthorized(plan);
        if (!missing.isEmpty()) {
            throw new Failure(
                    "pcsd on " + String.join(" and ", missing) + " does not accept our requests",
                    "it does not answer, or has not been given the token",
                    "on that node, with the same plan and token: tandem cluster prepare PLAN.yaml");
        }
    }

    /**
     * Makes the cluster and lets it start at boot. Never forced: pcs refuses when a node belongs to
     * a cluster already, and that is the last thing to override by a program.
     */
    void setUp(ClusterPlan plan) {
        List<String> command = new ArrayList<>(List.of("pcs", "cluster", "setup", plan.name()));
        for (ClusterPlan.Node node : plan.nodes()) {
            command.add(node.name());
            node.addresses().forEach(address -> command.add("addr=" + address));
        }
        command.addAll(
                List.of(
                        "transport",
                        "knet",
                        "totem",
                        "token=" + plan.timing().token().toMillis(),
                        "consensus=" + plan.timing().consensus().toMillis(),
                        "quorum",
                        "wait_for_all=1",
                        "--enable"));
        run(
                "set the cluster up",
                "if this pair has served before, destroy nothing: see "
                        + Runbook.CLUSTER_SILENT.path()
                        + ". Only if a node is left over from another cluster whose data nobody"
                        + " needs, on that node: pcs cluster destroy",
                START_LIMIT,
                command);
    }

    void startEverywhere() {
        run(
                "start the cluster",
                "look at the journal of corosync and pacemaker on the node it names",
                START_LIMIT,
                List.of("pcs", "cluster", "start", "--all"));
    }

    void enableEverywhere() {
        run(
                "let the cluster start at boot",
                "check that both nodes answer: pcs status pcsd",
                LIMIT,
                List.of("pcs", "cluster", "enable", "--all"));
    }

    /** Brings this node's corosync.conf to all. */
    void distributeCorosyncConf() {
        run(
                "bring corosync.conf to all nodes",
                "check that both nodes answer: pcs status pcsd",
                LIMIT,
                List.of("pcs", "cluster", "sync", "corosync"));
    }

    /** Lets Corosync read its file again, everywhere. */
    void reloadCorosyncConf() {
        run(
                "let Corosync read its new configuration",
                "look at its journal: journalctl -u corosync",
                LIMIT,
                List.of("pcs", "cluster", "reload", "corosync"));
    }

    /** Takes this node out of the example cluster that Debian's packages come with. */
    void forgetExample() {
        run(
                "remove the example cluster of the distribution",
                "on this node: pcs cluster destroy",
                START_LIMIT,
                List.of("pcs", "cluster", "destroy"));
    }

    private void run(String what, String remedy, Duration limit, List<String> command) {
        Commands.Output output = commands.run(limit, command);
        if (!output.ok()) {
            throw new Failure("cannot " + what, Pacemaker.said(output), remedy);
        }
    }
}
