package dev.tandem.host.pacemaker.setup;

import dev.tandem.core.Failure;
import dev.tandem.core.IpAddress;
import dev.tandem.host.Commands;
import dev.tandem.host.Deadline;
import dev.tandem.host.InstallationMark;
import dev.tandem.host.IoErrors;
import dev.tandem.host.NodePaths;
import dev.tandem.host.Secrets;
import dev.tandem.host.Systemd;
import dev.tandem.host.bmc.NodeHardware;
import dev.tandem.host.bmc.NodeIdentities;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.pacemaker.CorosyncRuntime;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pacemaker.Pacemaker;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.pacemaker.PacemakerStatus.Known;
import dev.tandem.host.pacemaker.PacemakerStatus.NodeState;
import dev.tandem.host.pacemaker.cib.Cib;
import dev.tandem.host.pacemaker.cib.CibPlan;
import dev.tandem.host.pacemaker.cib.CibStore;
import dev.tandem.host.pacemaker.fenceagent.FenceAgents;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.plan.Change;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodeFiles;
import dev.tandem.host.plan.PlanSecrets;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Makes a pair as its plan says: compares, changes what differs and nothing else, and reads back.
 * It can be run again at any time, on either node, and goes on where an earlier run ended.
 *
 * <p>What concerns one node only (its files, its agent) is done on that node: {@link #prepare}
 * there once, and {@link #apply} on one of them.
 */
public final class ClusterApply {
    /** A cluster that was set up by hand waits 20 s (dc-deadtime) for its first election. */
    private static final Duration MEETING_LIMIT = Duration.ofMinutes(2);

    /** Corosync takes new timings over within one membership. */
    private static final Duration RELOAD_LIMIT = Duration.ofSeconds(30);

    /** An agent that runs publishes at once; one that is being started within seconds. */
    private static final Duration IDENTITY_LIMIT = Duration.ofSeconds(20);

    /** Its unit gives the agent 30 s to become ready. */
    private static final Duration AGENT_LIMIT = Duration.ofSeconds(40);

    private static final String AGENT = "tandem-agent.service";
    private static final String KUBELET = "kubelet.service";

    private static final Duration BEAT = Duration.ofMillis(500);
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final ClusterPlan plan;
    private final String self;
    private final Systemd systemd;
    private final Places places;
    private final Consumer<String> step;
    private final Pcs pcs;
    private final CorosyncRuntime runtime;
    private final Pacemaker pacemaker;
    private final CibStore cib;
    private final FenceAgents fenceAgents;
    private final NodeFiles files;
    private final NodeIdentities identities;

    /**
     * Where it reads and writes on this node.
     *
     * @param installing the mark that lets the agent begin an empty etcd
     * @param knownHosts where pcs notes whom it has a token for
     * @param keys the certificates that the agent and etcd start with
     * @param addressAgent what moves the address of the API
     * @param addresses those that this node has
     */
    record Places(
            Path configuration,
            Path corosyncConf,
            Path installing,
            Path knownHosts,
            Path keys,
            Path addressAgent,
            Supplier<Set<InetAddress>> addresses) {
        static final Places STANDARD =
                new Places(
                        NodePaths.CONFIGURATION,
                        NodePaths.COROSYNC_CONF,
                        NodePaths.INSTALLING,
                        NodePaths.PCSD_KNOWN_HOSTS,
                        NodePaths.PKI,
                        NodePaths.ADDRESS_AGENT,
                        Places::ownAddresses);

        private static Set<InetAddress> ownAddresses() {
            try {
                return NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .filter(address ->
                                !address.isLoopbackAddress()
                                        // A plan may have those of IPv4, for a cable alone.
                                        && !(address instanceof Inet6Address
                                                && address.isLinkLocalAddress()))
                        .collect(Collectors.toSet());
            } catch (IOException e) {
                throw new Failure(
                        "cannot tell which addresses this node has",
                        IoErrors.words(e),
                        "see whether this works: ip address",
                        e);
            }
        }
    }

    /**
     * @param self the name of the node this runs on
     * @param step told what is being done, as it begins
     */
    public ClusterApply(ClusterPlan plan, String self, Commands commands, Consumer<String> step) {
        this(plan, self, commands, step, Places.STANDARD);
    }

    ClusterApply(
            ClusterPlan plan,
            String self,
            Commands commands,
            Consumer<String> step,
            Places places) {
        if (plan.node(self).isEmpty()) {
            throw new Failure(
                    "the plan is not for this node",
                    "this is "
                            + self
                            + ", the plan names "
                            + plan.nodeNames().stream().sorted().collect(Collectors.joining(", ")),
                    "run this on a node of the plan, or correct the names (hostnamectl)");
        }
        this.plan = plan;
        this.self = self;
        this.systemd = new Systemd(commands);
        this.places = places;
        this.step = step;
        this.pcs = new Pcs(commands, places.knownHosts());
        this.runtime = new CorosyncRuntime(commands);
        this.pacemaker = new Pacemaker(commands);
        this.cib = new CibStore(commands);
        this.fenceAgents = new FenceAgents(commands);
        this.files = new NodeFiles(places.configuration());
        this.identities = new NodeIdentities(new NodeAttributes(commands));
    }

    /**
     * What {@link #apply} would change, as far as it can be seen from here now. Changes nothing.
     */
    public List<Change> difference() {
        refuseToMove();
        List<Change> changes = new ArrayList<>(files.changesTo(plan));
        for (String node : pcs.unauthorized(plan)) {
            changes.add(
                    new Change(
                            "pcsd of " + node,
                            "authorized",
                            Optional.of("no"),
                            Optional.of("yes")));
        }
        Optional<CorosyncConf> actual = corosync();
        if (actual.isEmpty()) {
            changes.add(
                    new Change(
                            "cluster " + plan.name(),
                            "",
                            Optional.empty(),
                            Optional.of(
                                    plan.nodes().getFirst().name()
                                            + " and "
                                            + plan.nodes().getLast().name())));
            changes.addAll(Cib.empty().changesTo(CibPlan.of(plan)));
            return changes;
        }
        CibStore.refuseToShrink(actual.get().nodes(), plan.nodeNames());
        changes.addAll(actual.get().changesTo(actual.get().planned(plan)));
        if (pacemaker.status() instanceof Known) {
            Cib configuration = cib.read();
            CibStore.refuseToShrink(configuration.nodes(), plan.nodeNames());
            changes.addAll(configuration.changesTo(CibPlan.of(plan)));
        } else {
            changes.add(
                    new Change(
                            "cluster " + plan.name(),
                            "running",
                            Optional.of("no"),
                            Optional.of("yes")));
        }
        return changes;
    }

    /** Every step of {@link #prepare}, in its order, with the command where one is run. */
    public List<String> stepsToPrepare() {
        List<String> steps = new ArrayList<>();
        files.changesTo(plan).forEach(change -> steps.add(change.toString()));
        if (hasShippedExample()) {
            steps.add("remove the example cluster of the distribution: pcs cluster destroy");
        }
        steps.add("give pcsd the token: pcs pcsd accept_token " + installedToken());
        steps.add("start tandem-agent, now and at boot: systemctl enable --now " + AGENT);
        if (plan.kubelet()) {
            steps.add("leave starting kubelet to Pacemaker: systemctl disable " + KUBELET);
        }
        return steps;
    }

    /**
     * Fails where this node lacks something that its plan needs, and tells all of it. Changes
     * nothing.
     */
    public void requireReady() {
        refuseOtherPair();
        List<Failure> missing = new ArrayList<>(PlanSecrets.faults(plan));
        missing.addAll(PlanSecrets.unreadable(files.withKept(plan)));
        missing.addAll(fenceAgents.check(plan).all());
        addressesAreElsewhere().ifPresent(missing::add);
        List<String> keys = SitePki.missingIn(places.keys());
        if (!keys.isEmpty()) {
            missing.add(
                    new Failure(
                            "there are no certificates for " + self,
                            "%s lacks %s".formatted(places.keys(), String.join(", ", keys)),
                            SitePki.howToGetThem(self)));
        }
        if (!systemd.exists(LIMIT, AGENT)) {
            missing.add(
                    new Failure(
                            "tandem-agent is not installed",
                            "there is no " + AGENT,
                            "install Tandem's package on this node: apt-get install"
                                    + " ./tandem_*_all.deb"));
        }
        if (plan.kubelet() && !systemd.exists(LIMIT, KUBELET)) {
            missing.add(
                    new Failure(
                            "kubelet is not installed",
                            "the plan says kubelet: true, and there is no " + KUBELET,
                            "install the kubelet of your distribution of Kubernetes; for a pair of"
                                    + " etcd alone, leave kubelet and api out of the plan"));
        }
        if (plan.api().isPresent() && Files.notExists(places.addressAgent())) {
            missing.add(
                    new Failure(
                            "the address of the API cannot be moved",
                            places.addressAgent() + " does not exist",
                            "apt-get install resource-agents"));
        }
        if (!missing.isEmpty()) {
            throw Failure.of(self + " is not ready for the plan; nothing was changed", missing);
        }
    }

    /** The example of the distribution is no pair, and files of a plan alone make none. */
    private void refuseOtherPair() {
        corosync()
                .flatMap(CorosyncConf::clusterName)
                .filter(name -> !name.equals(plan.name()))
                .ifPresent(name -> {
                    throw new Failure(
                            "this node belongs to the pair %s, the plan is for %s"
                                    .formatted(name, plan.name()),
                            "%s has cluster_name: %s".formatted(places.corosyncConf(), name),
                            "take the plan of this pair; how a node becomes part of a new one:"
                                    + " docs/guide/day-2.md");
                });
    }

    /** A link more or less is no move. */
    private void refuseToMove() {
        Optional<CorosyncConf> actual = corosync();
        if (actual.isEmpty()) {
            return;
        }
        for (ClusterPlan.Node node : plan.nodes()) {
            List<String> before = actual.get().addresses(node.name());
            List<String> planned = node.addresses().stream().map(IpAddress::toString).toList();
            int links = Math.min(before.size(), planned.size());
            if (!before.subList(0, links).equals(planned.subList(0, links))) {
                throw new Failure(
                        "addresses of a running pair cannot be changed (certificates and etcd's"
                                + " member list carry them)",
                        "%s has %s, the plan says %s"
                                .formatted(
                                        node.name(),
                                        String.join(", ", before),
                                        String.join(", ", planned)),
                        "give %s its old addresses in the plan; how a new pair is made:"
                                        .formatted(node.name())
                                + " docs/guide/day-2.md");
            }
        }
    }

    /** Where none of its planned addresses is this node's, the plan or the node is another. */
    private Optional<Failure> addressesAreElsewhere() {
        List<IpAddress> planned = plan.node(self).orElseThrow().addresses();
        Set<InetAddress> own = places.addresses().get();
        return planned.stream()
                        .map(address -> InetAddress.ofLiteral(address.toString()))
                        .anyMatch(own::contains)
                ? Optional.empty()
                : Optional.of(
                        new Failure(
                                "the plan's addresses of " + self + " are not this node's",
                                "the plan says %s, this node has %s"
                                        .formatted(
                                                planned.stream()
                                                        .map(IpAddress::toString)
                                                        .collect(Collectors.joining(", ")),
                                                own.isEmpty()
                                                        ? "none"
                                                        : own.stream()
                                                                .map(InetAddress::getHostAddress)
                                                                .sorted()
                                                                .collect(Collectors.joining(", "))),
                                "correct addresses of %s in the plan, or the network of this node"
                                        .formatted(self)));
    }

    /** Whether {@link #prepare} would find everything done, as far as it can be seen. */
    public boolean isPrepared() {
        return files.changesTo(plan).isEmpty()
                && !hasShippedExample()
                && systemd.activeState(LIMIT, AGENT).equals("active");
    }

    private boolean hasShippedExample() {
        return readCorosyncConf().filter(CorosyncConf::isShippedExample).isPresent();
    }

    private Path installedToken() {
        return plan.installed(places.configuration()).pcsdTokenFile();
    }

    /** This node's own part: files, the token, the agent. Needs no peer. */
    public List<Change> prepare() {
        requireReady();
        step.accept("Writing the files of the plan to " + places.configuration());
        List<Change> changes = files.changesTo(plan);
        files.write(plan);
        if (hasShippedExample()) {
            step.accept("Removing the example cluster of the distribution");
            pcs.forgetExample();
        }
        pcs.accept(installedToken());
        Commands.Output enabled = systemd.enableNow(AGENT_LIMIT, AGENT).output();
        if (!enabled.ok()) {
            throw new Failure(
                    "cannot start tandem-agent on this node",
                    Pacemaker.said(enabled),
                    "look at its journal: journalctl -u tandem-agent");
        }
        if (plan.kubelet()) {
            // Pacemaker starts it, and nobody else: a node that boots alone must stay inert.
            Commands.Output disabled = systemd.disable(LIMIT, KUBELET).output();
            if (!disabled.ok()) {
                throw new Failure(
                        "cannot keep systemd from starting kubelet at boot",
                        Pacemaker.said(disabled),
                        "systemctl disable " + KUBELET + "; then run this again");
            }
        }
        return changes;
    }

    /**
     * What was changed, and what each BMC has proven.
     *
     * @param filesChanged whether the changes begin with some of this node's own files, which the
     *     peer has to write for itself
     */
    public record Outcome(
            boolean filesChanged, List<Change> changes, List<BmcPreflight.Proof> fencing) {
        public Outcome {
            changes = List.copyOf(changes);
            fencing = List.copyOf(fencing);
        }
    }

    /** Asks every BMC, as far as its node is known already. Changes nothing. */
    public List<BmcPreflight.Proof> checkBmcs() {
        List<BmcPreflight.Proof> proofs = new ArrayList<>();
        List<Failure> failures = new ArrayList<>();
        for (BmcPreflight.Way way : BmcPreflight.ways(files.withKept(plan))) {
            try {
                proofs.add(BmcPreflight.check(way, identities.of(way.node(), self), self));
            } catch (Failure e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw Failure.of("neither BMC can fence its node", failures);
        }
        return proofs;
    }

    /**
     * Makes everything as planned. A BMC that cannot fence its node, or is another machine's, stops
     * it before the configuration of fencing is touched.
     */
    public Outcome apply() {
        refuseToMove();
        requireReady();
        step.accept("Asking the BMCs");
        checkBmcs();
        List<Change> fileChanges = prepare();
        List<Change> changes = new ArrayList<>(fileChanges);
        Set<String> unauthorized = pcs.unauthorized(plan);
        if (!unauthorized.isEmpty()) {
            step.accept("Making the nodes known to each other");
            pcs.authorize(plan, installedToken());
            for (String node : unauthorized) {
                changes.add(
                        new Change(
                                "pcsd of " + node,
                                "authorized",
                                Optional.of("no"),
                                Optional.of("yes")));
            }
        }
        Optional<CorosyncConf> actual = corosync();
        if (actual.isEmpty()) {
            step.accept("Setting the cluster up");
            setUp();
            completeCorosyncConf();
            cib.prepareFirstStart();
            changes.add(
                    new Change(
                            "cluster " + plan.name(),
                            "",
                            Optional.empty(),
                            Optional.of(String.join(" and ", new TreeSet<>(plan.nodeNames())))));
        } else {
            CibStore.refuseToShrink(actual.get().nodes(), plan.nodeNames());
            pcs.enableEverywhere();
        }
        if (!allOnline()) {
            step.accept("Starting the cluster and waiting until both nodes have met");
            pcs.startEverywhere();
            await(MEETING_LIMIT, "both nodes to be online in Pacemaker", this::allOnline);
        }
        changes.addAll(changeCorosync());
        step.accept("Proving that each BMC controls its own node");
        identities.publish(self, new NodeHardware().read());
        awaitIdentities();
        List<BmcPreflight.Proof> fencing = checkBmcs();
        step.accept("Comparing and changing Pacemaker's configuration");
        changes.addAll(cib.apply(CibPlan.of(plan), plan.nodeNames()));
        return new Outcome(!fileChanges.isEmpty(), changes, fencing);
    }

    /**
     * The mark comes first, for a power cut after the set-up must not leave a pair that nobody
     * begins. Where the set-up did not reach this node the mark goes again: the plan may now be
     * applied on the other one. One that a crash leaves here does no harm either, for of two nodes
     * with a mark only one creates the cluster (StartDecision).
     */
    void setUp() {
        openInstallation();
        try {
            pcs.setUp(plan);
        } catch (Failure e) {
            if (corosync().isEmpty()) {
                closeInstallation(e);
            }
            throw e;
        }
    }

    private void closeInstallation(Failure cause) {
        try {
            new InstallationMark(places.installing()).remove();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /**
     * Lets the agents of the pair create an empty etcd. The agent of this node takes the mark away
     * when a server of the pair serves, and does not heed it while the peer has data.
     */
    private void openInstallation() {
        Path mark = places.installing();
        try {
            new InstallationMark(mark).set();
        } catch (IOException e) {
            throw new Failure(
                    "cannot start the installation",
                    IoErrors.words(e),
                    "check free space and permissions of " + mark.getParent(),
                    e);
        }
    }

    /** The peer's agent publishes who it is soon after it has joined. */
    private void awaitIdentities() {
        for (ClusterPlan.Node node : plan.nodes()) {
            Deadline end = Deadline.in(IDENTITY_LIMIT);
            while (identities.of(node, self).isEmpty()) {
                if (end.passed()) {
                    throw new Failure(
                            "cannot tell which machine " + node.name() + " is",
                            "neither the plan nor " + node.name() + " itself says so",
                            "on "
                                    + node.name()
                                    + ": tandem cluster identity --publish; then run this again");
                }
                pause("which machine " + node.name() + " is");
            }
        }
    }

    /** With the settings that pcs does not know of; before the first start nobody reads them. */
    private void completeCorosyncConf() {
        readCorosyncConf().ifPresent(conf -> write(conf.planned(plan)));
        pcs.distributeCorosyncConf();
    }

    private void write(CorosyncConf conf) {
        Secrets.write(places.corosyncConf(), conf.toString(), "rw-r--r--");
    }

    /** Only while both are members: an absent node would come back with older settings. */
    private List<Change> changeCorosync() {
        CorosyncConf actual =
                readCorosyncConf()
                        .orElseThrow(() ->
                                new Failure(
                                        "cannot read " + places.corosyncConf(),
                                        "it disappeared while it was read",
                                        "run this again"));
        CorosyncConf wanted = actual.planned(plan);
        List<Change> changes = actual.changesTo(wanted);
        if (changes.isEmpty()) {
            return changes;
        }
        step.accept("Changing corosync.conf on all nodes");
        write(wanted);
        pcs.distributeCorosyncConf();
        pcs.reloadCorosyncConf();
        await(RELOAD_LIMIT, "Corosync to run with its new settings", this::runsAsPlanned);
        await(MEETING_LIMIT, "both nodes to be online in Pacemaker", this::allOnline);
        return changes;
    }

    private boolean runsAsPlanned() {
        return CorosyncConf.totemSettings(plan).stream()
                .allMatch(setting ->
                        runtime.totem(setting.key()).orElse("").equals(setting.atRunTime()));
    }

    private boolean allOnline() {
        return pacemaker.status() instanceof Known known
                && known.dc().isPresent()
                && plan.nodeNames().stream()
                        .allMatch(node ->
                                known.node(node)
                                        .filter(NodeState::online)
                                        .filter(state -> !state.pending())
                                        .isPresent());
    }

    /** The configuration of a cluster; the example of the distribution is none. */
    private Optional<CorosyncConf> corosync() {
        return readCorosyncConf().filter(conf -> !conf.isShippedExample());
    }

    private Optional<CorosyncConf> readCorosyncConf() {
        return NodeFiles.content(places.corosyncConf()).map(CorosyncConf::parse);
    }

    private interface Condition {
        boolean holds();
    }

    private void await(Duration limit, String what, Condition condition) {
        Deadline end = Deadline.in(limit);
        while (!condition.holds()) {
            if (end.passed()) {
                throw new Failure(
                        "timed out after " + limit.toSeconds() + " s waiting for " + what,
                        seen(),
                        "look at the journals of corosync and pacemaker on both nodes, then run"
                                + " this again");
            }
            pause(what);
        }
    }

    private static void pause(String what) {
        try {
            Thread.sleep(BEAT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(
                    "stopped waiting for " + what, "it was interrupted", "run this again", e);
        }
    }

    private String seen() {
        return switch (pacemaker.status()) {
            case PacemakerStatus.Unknown(String why) -> why;
            case Known known ->
                    "Pacemaker on "
                            + self
                            + " sees "
                            + known.nodes().stream()
                                    .map(node ->
                                            node.name()
                                                    + (node.online() ? " online" : " offline")
                                                    + (node.pending() ? ", pending" : ""))
                                    .collect(Collectors.joining("; "));
        };
    }
}
