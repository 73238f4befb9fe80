package dev.tandem.host.health;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.host.NodePaths;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.pacemaker.PacemakerStatus.NodeState;
import dev.tandem.host.pacemaker.PacemakerStatus.ResourceState;
import dev.tandem.host.pacemaker.cib.CibPlan;
import dev.tandem.host.plan.FurtherLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds why there would be no automatic recovery from a failure, from what this node knows now.
 *
 * <p>One rule stands above the others: what is not known is not well. A person who reads that all
 * is well goes home.
 *
 * @param impediments any of them means that a person would be needed
 * @param warnings recovery would work, by this node's knowledge; yet something needs repair
 */
public record Impediments(List<Impediment> impediments, List<Impediment> warnings) {
    /** The peer's agent is heard every second. */
    public static final Duration SILENCE = Duration.ofSeconds(10);

    /** Corosync is asked every 5 s; two answers may be missed. */
    public static final Duration OLD_MEMBERSHIP = Duration.ofSeconds(15);

    /** A BMC is read every 7 or 14 s, and one that does not answer takes a while longer. */
    static final Duration OLD_READING = Duration.ofSeconds(60);

    /**
     * Pacemaker is asked every 10 s, and may take as long to answer; one that fails to is known
     * sooner.
     */
    public static final Duration OLD_STATUS = Duration.ofSeconds(30);

    /** The second command for a file that is right and was not read since. */
    static final String RESTORE_TWO_NODE =
            "tandem cluster apply %s; pcs cluster reload corosync".formatted(NodePaths.PLAN);

    /** Nothing else shortens the two minutes that it may wait between two tries to reach etcd. */
    static final String RESTART_API_SERVER =
            "systemctl restart kube-apiserver; if that fails: journalctl -u kube-apiserver -n 20";

    /** What is missing most often; a certificate that the API refuses has a line in the runbook. */
    static final String LET_THE_AGENT_WRITE =
            "with the kubeconfig of an administrator: tandem cluster roles %s | kubectl apply -f -"
                    .formatted(NodePaths.PLAN);

    public Impediments {
        impediments = sorted(impediments);
        warnings = sorted(warnings);
    }

    private static List<Impediment> sorted(List<Impediment> found) {
        return found.stream().sorted(Comparator.comparing(Impediment::cause)).toList();
    }

    static String systemdSilent(String node) {
        return "systemd on %s does not answer, so etcd can be neither stopped nor started there"
                .formatted(node);
    }

    static String wouldLoseQuorum(String node, String without) {
        return "%s would lose quorum without %s: two_node is not in effect in its Corosync"
                .formatted(node, without);
    }

    /** What is found here and elsewhere. */
    public Impediments and(Impediments more) {
        return new Impediments(
                Stream.concat(impediments.stream(), more.impediments.stream()).toList(),
                Stream.concat(warnings.stream(), more.warnings.stream()).toList());
    }

    public boolean automatic() {
        return impediments.isEmpty();
    }

    /** Whose machine a BMC switches. */
    public enum Machine {
        ITS_OWN,
        ANOTHER,
        UNKNOWN
    }

    /**
     * What was last read of a BMC.
     *
     * @param age of the reading; empty before the first
     * @param offWhileThere it reads Off, and its node is in the cluster
     * @param second by what else the same machine is switched
     * @param further the levels that come after these, which ask no BMC
     */
    public record Bmc(
            Optional<Duration> age,
            Optional<BmcFault> fault,
            Machine machine,
            boolean offWhileThere,
            BmcAddress address,
            Optional<Bmc> second,
            List<FurtherLevel> further) {
        public Bmc {
            further = List.copyOf(further);
        }

        public Bmc(
                Optional<Duration> age,
                Optional<BmcFault> fault,
                Machine machine,
                boolean offWhileThere,
                BmcAddress address,
                Optional<Bmc> second) {
            this(age, fault, machine, offWhileThere, address, second, List.of());
        }

        public Bmc(
                Optional<Duration> age,
                Optional<BmcFault> fault,
                Machine machine,
                boolean offWhileThere,
                BmcAddress address) {
            this(age, fault, machine, offWhileThere, address, Optional.empty());
        }
    }

    /**
     * The API as this node serves it.
     *
     * @param cannotWrite why this node's API server writes nothing beside an etcd that serves;
     *     empty where it writes, or nobody knows
     * @param notTested why nobody knows
     */
    public record Api(Optional<String> cannotWrite, Optional<String> notTested) {}

    /**
     * What this node knows.
     *
     * @param corosyncAnswers without, nothing is known of quorum and peer
     * @param quorumKeptByOne this node would stay quorate without its peer
     * @param peerSilence since the peer's agent was last heard, or since the peer is in the cluster
     *     if it never was
     * @param pacemaker the last answer, and how old it is; empty before the first
     * @param cannotStore why this node's agent cannot store its state, if it cannot
     * @param api where the plan has an address for it
     * @param systemdAnswers without, nothing is stopped or started here
     * @param runsUnasked etcd runs here, and the agent does not know that Pacemaker has started it
     * @param brokenDevices fence devices of the peer that would fail, whatever Pacemaker says of
     *     them
     * @param pacemakerFails it did not answer when it was asked last, and before
     */
    public record Seen(
            String self,
            String peer,
            boolean corosyncAnswers,
            boolean quorate,
            boolean quorumKeptByOne,
            boolean peerPresent,
            Duration peerSilence,
            Bmc ownBmc,
            Bmc peersBmc,
            Optional<PacemakerStatus.Known> pacemaker,
            Duration pacemakerAge,
            Optional<String> cannotStore,
            boolean systemdAnswers,
            boolean runsUnasked,
            Optional<Api> api,
            Set<String> brokenDevices,
            boolean pacemakerFails) {

        public Seen {
            brokenDevices = Set.copyOf(brokenDevices);
        }

        /**
         * Of a node that keeps quorum alone, whose disk stores what it is given, whose agent knows
         * what it runs, whose fence devices have what they read, and whose plan has no address of
         * the API.
         */
        public Seen(
                String self,
                String peer,
                boolean corosyncAnswers,
                boolean quorate,
                boolean peerPresent,
                Duration peerSilence,
                Bmc ownBmc,
                Bmc peersBmc,
                Optional<PacemakerStatus.Known> pacemaker,
                Duration pacemakerAge) {
            this(
                    self,
                    peer,
                    corosyncAnswers,
                    quorate,
                    true,
                    peerPresent,
                    peerSilence,
                    ownBmc,
                    peersBmc,
                    pacemaker,
                    pacemakerAge,
                    Optional.empty(),
                    true,
                    false,
                    Optional.empty(),
                    Set.of(),
                    false);
        }

        /**
         * What Pacemaker says now; empty where it last answered too long ago, or does not any more.
         * Beside a silent Corosync it cannot, and that is told.
         */
        private Optional<PacemakerStatus.Known> fresh() {
            return pacemaker.filter(_ ->
                    pacemakerAge.compareTo(OLD_STATUS) <= 0
                            && !(pacemakerFails && corosyncAnswers));
        }
    }

    public static Impediments of(Seen seen) {
        Search search =
                new Search(
                        seen.self(),
                        seen.peer(),
                        Map.of(seen.self(), seen.ownBmc(), seen.peer(), seen.peersBmc()),
                        seen.brokenDevices());
        search.membership(seen);
        seen.cannotStore().ifPresent(search::stateIsNotStored);
        if (!seen.systemdAnswers()) {
            search.systemdIsSilent();
        }
        if (seen.runsUnasked()) {
            search.etcdRunsUnasked();
        }
        if (seen.fresh().isPresent()) {
            search.pacemaker(seen.fresh().get());
            if (seen.api().isPresent()) {
                search.apiAddress(seen.fresh().get());
            }
        } else {
            search.pacemakerIsSilent(seen.pacemaker().isPresent(), seen.pacemakerAge());
        }
        seen.api().flatMap(Api::cannotWrite).ifPresent(search::apiCannotWrite);
        seen.api().flatMap(Api::notTested).ifPresent(search::apiNotTested);
        search.bmcOfPeer(seen.peersBmc(), seen.fresh());
        search.ownBmc(seen.ownBmc());
        return search.result();
    }

    /** What Pacemaker's answer alone shows, as seen from a node that may have to fence its peer. */
    public static Impediments of(PacemakerStatus.Known pacemaker, String self, String peer) {
        Search search = new Search(self, peer, Map.of(), Set.of());
        search.pacemaker(pacemaker);
        return search.result();
    }

    /** What ends a fault that the BMC of a node answered with. */
    public static String remedy(BmcFault fault, Bmc bmc, String node) {
        return Search.fault(bmc, node, fault).remedy();
    }

    /** How a fence device stands in Pacemaker, on the node that would use it. */
    public static Device device(PacemakerStatus.Known pacemaker, String id, String from) {
        return Search.device(pacemaker, id, from);
    }

    /** How a fence device stands; ordered by how much is wrong with it. */
    public enum Device {
        MISSING,
        DISABLED,
        BLOCKED,
        FAILED,
        STOPPED,
        FIT
    }

    private static final class Search {
        private final String self;
        private final String peer;
        private final Map<String, Bmc> bmcs;
        private final Set<String> broken;
        private final List<Impediment> impediments = new ArrayList<>();
        private final List<Impediment> warnings = new ArrayList<>();

        /**
         * @param bmcs that of each node, as far as that is known
         * @param broken fence devices that would fail, whatever Pacemaker says of them
         */
        Search(String self, String peer, Map<String, Bmc> bmcs, Set<String> broken) {
            this.self = self;
            this.peer = peer;
            this.bmcs = bmcs;
            this.broken = broken;
        }

        Impediments result() {
            return new Impediments(impediments, warnings);
        }

        /** What is not on the disk does not count, so neither a fence nor a take-over does. */
        void stateIsNotStored(String why) {
            impediments.add(
                    new Impediment(
                            Cause.STATE_NOT_STORED,
                            self,
                            Optional.of(peer),
                            "tandem-agent on %s cannot store its state: %s".formatted(self, why),
                            "see whether the disk is full or failing: df /var/lib/tandem;"
                                    + " journalctl -k",
                            Optional.empty()));
        }

        /** etcd serves on without it, but can be neither stopped for a take-over nor started. */
        void systemdIsSilent() {
            impediments.add(
                    new Impediment(
                            Cause.SYSTEMD_SILENT,
                            self,
                            Optional.of(peer),
                            systemdSilent(self),
                            "on %s: pcs stonith fence %s".formatted(peer, self),
                            Optional.empty()));
        }

        /** What Pacemaker has not started, as far as the agent knows, is not recovered by it. */
        void etcdRunsUnasked() {
            impediments.add(
                    new Impediment(
                            Cause.ETCD_RUNS_UNASKED,
                            self,
                            Optional.of(peer),
                            ("etcd runs on %s, but tandem-agent there does not know that Pacemaker"
                                            + " has started it")
                                    .formatted(self),
                            "pcs resource restart %s %s".formatted(CibPlan.ETCD_CLONE, self),
                            Optional.empty()));
        }

        void membership(Seen seen) {
            if (!seen.corosyncAnswers()) {
                either(
                        Cause.COROSYNC_SILENT,
                        self,
                        "Corosync does not answer on " + self,
                        "to find out why: systemctl status corosync; to start it: pcs cluster"
                                + " start");
                return;
            }
            if (!seen.quorate()) {
                either(
                        Cause.NO_QUORUM,
                        self,
                        self + " has no quorum and may neither fence nor start anything",
                        WaitFor.PEER_RETURN
                                .remedy(new NodeName(self), new NodeName(peer))
                                .orElseThrow());
            }
            if (seen.peerPresent() && !seen.quorumKeptByOne()) {
                impediments.add(
                        new Impediment(
                                Cause.NO_TWO_NODE,
                                self,
                                Optional.of(peer),
                                wouldLoseQuorum(self, peer),
                                RESTORE_TWO_NODE,
                                Optional.empty()));
            }
            if (seen.peerPresent() && seen.peerSilence().compareTo(SILENCE) > 0) {
                impediments.add(
                        new Impediment(
                                Cause.PEER_AGENT_SILENT,
                                peer,
                                // It is the peer that would have to take over.
                                Optional.of(self),
                                "tandem-agent on %s has been silent for %d s"
                                        .formatted(peer, seen.peerSilence().toSeconds()),
                                ("on %s: systemctl restart tandem-agent; if that fails: journalctl"
                                                + " -u tandem-agent -n 20")
                                        .formatted(peer),
                                Optional.of(seen.peerSilence())));
            }
        }

        void pacemakerIsSilent(boolean answeredOnce, Duration age) {
            impediments.add(
                    new Impediment(
                            Cause.PACEMAKER_SILENT,
                            self,
                            Optional.empty(),
                            answeredOnce
                                    ? "Pacemaker on %s has not answered for %d s"
                                            .formatted(self, age.toSeconds())
                                    : "Pacemaker on %s has not answered yet".formatted(self),
                            "to find out why: systemctl status pacemaker; to start it: pcs cluster"
                                    + " start",
                            Optional.of(age)));
        }

        void pacemaker(PacemakerStatus.Known pacemaker) {
            if (pacemaker.maintenance()) {
                either(
                        Cause.MAINTENANCE,
                        peer,
                        "Pacemaker is in maintenance mode",
                        "pcs property set maintenance-mode=false");
            }
            if (!pacemaker.fencing()) {
                either(
                        Cause.FENCING_OFF,
                        peer,
                        "fencing is switched off (stonith-enabled=false)",
                        "pcs property set stonith-enabled=true");
            }
            if (pacemaker.stopsAll()) {
                either(
                        Cause.STOPS_ALL_RESOURCES,
                        peer,
                        "Pacemaker is told to stop everything (stop-all-resources=true)",
                        "pcs property set stop-all-resources=false");
            }
            if (!pacemaker.symmetric()) {
                either(
                        Cause.ASYMMETRIC,
                        peer,
                        "Pacemaker starts nothing without a constraint (symmetric-cluster=false)",
                        "pcs property set symmetric-cluster=true");
            }
            for (String name : List.of(self, peer)) {
                pacemaker.node(name).ifPresent(this::node);
            }
            etcd(pacemaker);
            devices(pacemaker, peer);
            devices(pacemaker, self);
        }

        private void node(NodeState node) {
            if (node.maintenance()) {
                either(
                        Cause.NODE_MAINTENANCE,
                        node.name(),
                        node.name() + " is in maintenance mode",
                        "pcs node unmaintenance " + node.name());
            }
            if (node.standby()) {
                impediments.add(
                        new Impediment(
                                Cause.NODE_STANDBY,
                                node.name(),
                                // It runs nothing: there is nothing to take over for it.
                                Optional.of(node.name().equals(self) ? peer : self),
                                node.name() + " is in standby",
                                "pcs node unstandby " + node.name(),
                                Optional.empty()));
            }
        }

        private void etcd(PacemakerStatus.Known pacemaker) {
            List<ResourceState> instances = pacemaker.resource(CibPlan.ETCD);
            if (instances.stream().anyMatch(ResourceState::disabled)) {
                either(
                        Cause.ETCD_DISABLED,
                        peer,
                        "etcd is disabled in Pacemaker",
                        "pcs resource enable " + CibPlan.ETCD_CLONE);
            }
            if (!maintenance(pacemaker) && instances.stream().anyMatch(etcd -> !etcd.managed())) {
                either(
                        Cause.ETCD_UNMANAGED,
                        peer,
                        "etcd is not managed by Pacemaker",
                        "pcs resource manage " + CibPlan.ETCD_CLONE);
            }
        }

        /** Whatever is in maintenance is unmanaged too, and has been told. */
        private static boolean maintenance(PacemakerStatus.Known pacemaker) {
            return pacemaker.maintenance()
                    || pacemaker.nodes().stream().anyMatch(NodeState::maintenance);
        }

        /** etcd is recovered without it; but nobody reaches the API. */
        void apiAddress(PacemakerStatus.Known pacemaker) {
            List<ResourceState> found = pacemaker.resource(CibPlan.API_ADDRESS);
            if (found.isEmpty()) {
                either(
                        Cause.API_ADDRESS_MISSING,
                        peer,
                        "the API address is missing from Pacemaker",
                        "tandem cluster apply " + NodePaths.PLAN);
                return;
            }
            ResourceState address = found.getFirst();
            if (address.disabled()) {
                either(
                        Cause.API_ADDRESS_DISABLED,
                        peer,
                        "the API address is disabled in Pacemaker",
                        "pcs resource enable " + CibPlan.API_ADDRESS);
            } else if (!address.managed() && !maintenance(pacemaker)) {
                either(
                        Cause.API_ADDRESS_UNMANAGED,
                        peer,
                        "the API address is not managed by Pacemaker",
                        "pcs resource manage " + CibPlan.API_ADDRESS);
            } else if (shouldRun(pacemaker)
                    && (address.blocked() || address.failed() || !address.active())) {
                either(
                        Cause.API_ADDRESS_STOPPED,
                        peer,
                        "the API address is "
                                + (address.blocked()
                                        ? "blocked"
                                        : address.failed() ? "marked as failed" : "not started"),
                        "pcs resource cleanup " + CibPlan.API_ADDRESS);
            }
            pacemaker.bans().stream().filter(this::keepsAddressAway).forEach(this::banned);
        }

        /** It follows etcd, and is nowhere before etcd is started somewhere. */
        private static boolean shouldRun(PacemakerStatus.Known pacemaker) {
            return !maintenance(pacemaker)
                    && !pacemaker.stopsAll()
                    && pacemaker.resource(CibPlan.ETCD).stream().anyMatch(ResourceState::started);
        }

        /** What {@code pcs resource ban} leaves, for one; a mild preference is none. */
        private boolean keepsAddressAway(PacemakerStatus.Ban ban) {
            return ban.resource().equals(CibPlan.API_ADDRESS)
                    && List.of(self, peer).contains(ban.node())
                    && !CibPlan.owns(ban.id())
                    && ban.score() + CibPlan.WRITES_SCORE < 0;
        }

        private void banned(PacemakerStatus.Ban ban) {
            impediments.add(
                    new Impediment(
                            Cause.API_ADDRESS_BANNED,
                            ban.node(),
                            Optional.of(ban.node().equals(self) ? peer : self),
                            "the API address would not move to %s: the constraint %s keeps it away"
                                    .formatted(ban.node(), ban.id()),
                            "pcs constraint delete " + ban.id(),
                            Optional.empty()));
        }

        void apiCannotWrite(String why) {
            impediments.add(
                    new Impediment(
                            Cause.API_CANNOT_WRITE,
                            self,
                            Optional.of(peer),
                            "the API server on %s cannot write: %s".formatted(self, why),
                            RESTART_API_SERVER,
                            Optional.empty()));
        }

        void apiNotTested(String why) {
            impediments.add(
                    new Impediment(
                            Cause.API_NOT_TESTED,
                            self,
                            Optional.of(peer),
                            "tandem-agent cannot test whether the API server on %s writes: %s"
                                    .formatted(self, why),
                            LET_THE_AGENT_WRITE,
                            Optional.empty()));
        }

        /**
         * The first level is tandem-agent itself; the others, stock agents, are there for when
         * tandem-agent is down or its BMC does not answer, and many seconds slower.
         */
        private void devices(PacemakerStatus.Known pacemaker, String target) {
            String first = CibPlan.deviceOf(target);
            String from = target.equals(peer) ? self : peer;
            Device level1 = device(pacemaker, first, from);
            Map<Device, List<String>> unfit = new EnumMap<>(Device.class);
            unfit.computeIfAbsent(level1, _ -> new ArrayList<>()).add(first);
            boolean other = false;
            for (String stock : stockDevices(pacemaker, target)) {
                Device state = device(pacemaker, stock, from);
                other |=
                        state == Device.FIT
                                && !broken.contains(stock)
                                && !provesNothing(target).contains(stock);
                unfit.computeIfAbsent(state, _ -> new ArrayList<>()).add(stock);
            }
            boolean impeded =
                    switch (level1) {
                        case MISSING, DISABLED, BLOCKED -> true;
                        // Pacemaker still asks it, and then the others.
                        case FAILED, STOPPED -> !other;
                        case FIT -> false;
                    };
            unfit.remove(Device.FIT);
            unfit.forEach((state, devices) ->
                    (impeded ? impediments : warnings).add(unfit(state, devices, target)));
        }

        /** Pacemaker goes on after a fence by these; a person has to say that the node is off. */
        private Set<String> provesNothing(String target) {
            List<FurtherLevel> levels =
                    Optional.ofNullable(bmcs.get(target)).map(Bmc::further).orElse(List.of());
            return IntStream.range(0, levels.size())
                    .filter(i -> !levels.get(i).provesOff())
                    .mapToObj(i -> CibPlan.furtherDeviceOf(target, i + 1))
                    .collect(Collectors.toSet());
        }

        /** By the protocols of its BMC, or else as Pacemaker has them. */
        private List<String> stockDevices(PacemakerStatus.Known pacemaker, String target) {
            Bmc bmc = bmcs.get(target);
            if (bmc == null) {
                List<String> possible = CibPlan.stockDevicesOf(target);
                List<String> there =
                        possible.stream()
                                .filter(device -> !pacemaker.resource(device).isEmpty())
                                .toList();
                return there.isEmpty() ? List.of(possible.getFirst()) : there;
            }
            return Stream.concat(
                            Stream.concat(bmc.second().stream(), Stream.of(bmc))
                                    .map(Bmc::address)
                                    .filter(address ->
                                            address.transport() != BmcAddress.Transport.HTTP)
                                    .map(address -> CibPlan.stockDeviceOf(target, address)),
                            CibPlan.furtherDevicesOf(target, bmc.further().size()).stream())
                    .toList();
        }

        private Impediment unfit(Device state, List<String> devices, String target) {
            String from = target.equals(peer) ? self : peer;
            String ids = String.join(" ", devices);
            boolean one = devices.size() == 1;
            String which =
                    "%s of %s (%s) "
                                    .formatted(
                                            one ? "a fence device" : "the fence devices",
                                            target,
                                            String.join(", ", devices))
                            + (one ? "is " : "are ");
            String cleanup =
                    devices.stream()
                            .map(device -> "pcs stonith cleanup " + device)
                            .reduce((all, next) -> all + "; " + next)
                            .orElse("");
            return switch (state) {
                case MISSING ->
                        device(
                                Cause.FENCE_DEVICE_MISSING,
                                target,
                                which + "missing from Pacemaker",
                                "tandem cluster apply " + NodePaths.PLAN);
                case DISABLED ->
                        device(
                                Cause.FENCE_DEVICE_DISABLED,
                                target,
                                which + "disabled",
                                "pcs stonith enable " + ids);
                case BLOCKED ->
                        device(Cause.FENCE_DEVICE_BLOCKED, target, which + "blocked", cleanup);
                case FAILED ->
                        device(
                                Cause.FENCE_DEVICE_FAILED,
                                target,
                                which + "marked as failed",
                                cleanup);
                case STOPPED, FIT ->
                        device(
                                Cause.FENCE_DEVICE_STOPPED,
                                target,
                                which + "not started on " + from,
                                "remove the constraint that bans it (pcs constraint --full), then: "
                                        + cleanup);
            };
        }

        private Impediment device(Cause cause, String target, String sentence, String remedy) {
            return new Impediment(
                    cause, target, Optional.of(target), sentence, remedy, Optional.empty());
        }

        private static Device device(PacemakerStatus.Known pacemaker, String id, String from) {
            List<ResourceState> found = pacemaker.resource(id);
            if (found.isEmpty()) {
                return Device.MISSING;
            }
            ResourceState device = found.getFirst();
            if (device.disabled()) {
                return Device.DISABLED;
            }
            if (device.blocked()) {
                return Device.BLOCKED;
            }
            if (device.failed()) {
                return Device.FAILED;
            }
            // What is unmanaged is not started, and is told as that. A node that is away or just
            // joining runs nothing at all, and its absence is told already.
            boolean couldRun =
                    pacemaker
                            .node(from)
                            .filter(node -> node.online() && !node.pending())
                            .isPresent();
            return device.active() || !device.managed() || !couldRun ? Device.FIT : Device.STOPPED;
        }

        /**
         * A second that would do, and that Pacemaker would use, makes of a first that would not
         * something to be repaired. But of a node that was read Off while it was there no Off is
         * believed, by whichever way.
         */
        void bmcOfPeer(Bmc bmc, Optional<PacemakerStatus.Known> pacemaker) {
            Optional<Impediment> ofSecond = bmc.second().flatMap(this::unfitForPeer);
            boolean second =
                    bmc.second().filter(way -> isUsed(way, pacemaker)).isPresent()
                            && ofSecond.isEmpty();
            unfitForPeer(bmc)
                    .ifPresent(found ->
                            (second && found.cause() != Cause.BMC_READS_OFF
                                            ? warnings
                                            : impediments)
                                    .add(found));
            ofSecond.map(Search::overIpmi).ifPresent(warnings::add);
        }

        /** A BMC that answers this agent fences nothing: the device that uses it does. */
        private boolean isUsed(Bmc second, Optional<PacemakerStatus.Known> pacemaker) {
            String id = CibPlan.stockDeviceOf(peer, second.address());
            return !broken.contains(id)
                    && pacemaker.filter(now -> device(now, id, self) == Device.FIT).isPresent();
        }

        private Optional<Impediment> unfitForPeer(Bmc bmc) {
            return trouble(bmc, peer)
                    .or(() ->
                            bmc.machine() == Machine.UNKNOWN
                                    // Its Off would prove nothing.
                                    ? Optional.of(
                                            bmc(
                                                    Cause.BMC_IDENTITY_UNKNOWN,
                                                    peer,
                                                    "cannot be shown to be that of " + peer,
                                                    "to find out why: tandem fencing check"))
                                    : Optional.empty());
        }

        private static Impediment overIpmi(Impediment found) {
            return new Impediment(
                    found.cause(),
                    found.node(),
                    found.failureOf(),
                    "over IPMI, " + found.sentence(),
                    switch (found.cause()) {
                        case BMC_REFUSES_PASSWORD ->
                                "set the same password in the BMC and in Tandem; to have it tried at once: tandem fencing set %s --second --password-stdin"
                                        .formatted(found.node());
                        case BMC_OTHER_MACHINE ->
                                "correct the address, here and in the plan at your desk: tandem fencing set %s --second --address ipmi://HOST"
                                        .formatted(found.node());
                        default -> found.remedy();
                    },
                    found.known());
        }

        /**
         * The peer has to reach it, not this node, and it will say so itself. What both have in
         * common, the password and the address, is told here too; that it cannot be reached only if
         * it could before, for many a BMC cannot from its own machine.
         */
        void ownBmc(Bmc bmc) {
            trouble(bmc, self)
                    .filter(found ->
                            switch (found.cause()) {
                                case BMC_OTHER_MACHINE,
                                        BMC_REFUSES_PASSWORD,
                                        BMC_LACKS_RIGHTS,
                                        BMC_UNTRUSTED ->
                                        true;
                                case BMC_UNREACHABLE, BMC_FAULTY ->
                                        bmc.machine() == Machine.ITS_OWN
                                                || bmc.fault()
                                                        .filter(
                                                                BmcFault.NoPassword.class
                                                                        ::isInstance)
                                                        .isPresent();
                                default -> false;
                            })
                    .ifPresent(warnings::add);
        }

        private Optional<Impediment> trouble(Bmc bmc, String node) {
            if (bmc.age().isEmpty() || bmc.age().get().compareTo(OLD_READING) > 0) {
                return Optional.of(
                        bmc(
                                Cause.BMC_NOT_CHECKED,
                                node,
                                bmc.age()
                                        .map(age ->
                                                "has not been read for %d s"
                                                        .formatted(age.toSeconds()))
                                        .orElse("has not been read yet"),
                                "to find out why: tandem fencing check"));
            }
            if (bmc.machine() == Machine.ANOTHER) {
                return Optional.of(
                        bmc(
                                Cause.BMC_OTHER_MACHINE,
                                node,
                                "controls another machine",
                                "give Tandem the address of the BMC that is in %1$s: tandem fencing set %1$s --address ADDRESS"
                                        .formatted(node)));
            }
            if (bmc.fault().isPresent()) {
                return Optional.of(fault(bmc, node, bmc.fault().get()));
            }
            return bmc.offWhileThere()
                    ? Optional.of(
                            bmc(
                                    Cause.BMC_READS_OFF,
                                    node,
                                    "reads Off while %s is in the cluster".formatted(node),
                                    "restart the BMC itself, then: tandem fencing check"))
                    : Optional.empty();
        }

        private static String howToReach(BmcAddress address) {
            return address.isIpmi()
                    ? "check its cable and network, and that IPMI over LAN is enabled in it; to ask"
                            + " it: tandem fencing check"
                    : "check its cable and network; this must answer: curl -k %s/redfish/v1/"
                            .formatted(address.serviceUrl());
        }

        private static Impediment fault(Bmc bmc, String node, BmcFault fault) {
            return switch (fault) {
                case BmcFault.Unreachable _ ->
                        bmc(
                                Cause.BMC_UNREACHABLE,
                                node,
                                "cannot be reached",
                                howToReach(bmc.address()));
                case BmcFault.Untrusted _ ->
                        bmc(
                                Cause.BMC_UNTRUSTED,
                                node,
                                "has a certificate that is not trusted",
                                "to find out why: tandem fencing check");
                case BmcFault.Denied(int status, String _) ->
                        status == 403
                                ? bmc(
                                        Cause.BMC_LACKS_RIGHTS,
                                        node,
                                        "does not give the account enough privileges",
                                        "give the account the role Operator or Administrator in the"
                                                + " BMC")
                                : bmc(
                                        Cause.BMC_REFUSES_PASSWORD,
                                        node,
                                        "refuses the password",
                                        ("set the same password in the BMC and in Tandem; if it"
                                             + " comes from a program or a store, change it there;"
                                             + " otherwise, to have it tried at once: tandem"
                                             + " fencing set %s --password-stdin")
                                                .formatted(node));
                case BmcFault.NoPassword(String why, String remedy) ->
                        bmc(Cause.BMC_FAULTY, node, "is not asked: " + why, remedy);
                case BmcFault.Busy _, BmcFault.Rejected _, BmcFault.Unintelligible _ ->
                        bmc(
                                Cause.BMC_FAULTY,
                                node,
                                "does not report the power state",
                                "to find out why: tandem fencing check");
            };
        }

        private static Impediment bmc(Cause cause, String node, String does, String remedy) {
            return new Impediment(
                    cause,
                    node,
                    Optional.of(node),
                    "the BMC of %s %s".formatted(node, does),
                    remedy,
                    Optional.empty());
        }

        private void either(Cause cause, String node, String sentence, String remedy) {
            impediments.add(
                    new Impediment(
                            cause, node, Optional.empty(), sentence, remedy, Optional.empty()));
        }
    }
}
