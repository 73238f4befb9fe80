package dev.tandem.host.plan;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.BmcName;
import dev.tandem.core.Failure;
import dev.tandem.core.IpAddress;
import dev.tandem.core.decision.FenceDelay;
import dev.tandem.host.NodePaths;
import dev.tandem.host.credential.PasswordSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What a pair shall be: its nodes, their networks and BMCs, and how quickly it reacts. Holds no
 * secrets, only where they are; so it may be shown, compared and kept.
 *
 * @param name of the cluster, as Corosync and Pacemaker call it
 * @param nodes in the order of the plan; the first is preferred when both are alive and only one
 *     may stay
 * @param kubelet whether Pacemaker runs kubelet too; not before Kubernetes is there
 * @param bmcOff how long the slowest of the BMCs takes from the order until the power is gone; the
 *     node that is to lose a split delays its own fence action for longer than that
 * @param loneStart what lets a node that boots alone, and is known to have served last, start
 * @param api where the API of Kubernetes is reached, whichever node serves it
 */
public record ClusterPlan(
        String name,
        Timing timing,
        List<Node> nodes,
        boolean kubelet,
        Duration bmcOff,
        LoneStart loneStart,
        Optional<Api> api,
        Etcd etcd,
        Path pcsdTokenFile) {

    /** What has to be known of the peer before a node that booted alone starts etcd. */
    public enum LoneStart {
        /** A person has seen the peer off and says so. */
        CONFIRMED("confirmed"),
        /**
         * Its BMC has read Off for a while; so it also starts while the peer is merely unplugged.
         */
        BMC_OFF("bmc-off");

        private final String word;

        LoneStart(String word) {
            this.word = word;
        }

        /** As it is written in a plan. */
        public String word() {
            return word;
        }

        public static Optional<LoneStart> of(String word) {
            return Stream.of(values()).filter(value -> value.word.equals(word)).findFirst();
        }
    }

    /** Where a node keeps the plan that was applied. */
    public static final Path INSTALLED = NodePaths.PLAN;

    /** What BMCs need that cut the power as soon as they are told. */
    public static final Duration QUICK_BMC_OFF = Duration.ofSeconds(3);

    /**
     * How much later a node whose agent is down switches its peer off, at most: 3 s in which the
     * second level waits for an agent that may just be restarting, 2 s until a Python program has
     * started, and four requests of 2.5 s to a slow BMC.
     */
    public static final Duration LEVEL_TWO_LATER = Duration.ofSeconds(15);

    /** A quick BMC may be busy, or restart. */
    private static final Duration LEAST_POWER_LIMIT = Duration.ofSeconds(20);

    /** Two requests of a slow BMC: the order before the power goes, the reading after it. */
    private static final Duration REQUESTS = Duration.ofSeconds(12);

    /** The shortest that can be planned with. */
    static final Duration FASTEST_BMC_OFF = Duration.ofSeconds(1);

    /** Both fence actions, one after the other, have to fit into Pacemaker's limit for one. */
    public static final Duration SLOWEST_BMC_OFF = Duration.ofSeconds(20);

    /** Corosync's limit of links (knet). */
    public static final int MAX_LINKS = 8;

    public ClusterPlan {
        nodes = List.copyOf(nodes);
        if (nodes.size() != 2) {
            throw new IllegalArgumentException("a plan has two nodes, not " + nodes.size());
        }
    }

    /**
     * One machine.
     *
     * @param addresses one a link, the same number and order on every node
     */
    public record Node(String name, List<IpAddress> addresses, Bmc bmc, Identity identity) {
        public Node {
            addresses = List.copyOf(addresses);
            if (!NodeNames.isValid(name)) {
                throw new IllegalArgumentException("not the name of a node: " + name);
            }
            if (addresses.isEmpty() || addresses.size() > MAX_LINKS) {
                throw new IllegalArgumentException("a node has 1 to " + MAX_LINKS + " addresses");
            }
        }

        public IpAddress address() {
            return addresses.getFirst();
        }

        /** The same node, switched by the second of its BMC; empty where there is none. */
        public Optional<Node> bySecond() {
            return bmc.second().map(second -> new Node(name, addresses, second, identity));
        }

        private Node with(Bmc other) {
            return new Node(name, addresses, other, identity);
        }
    }

    /**
     * Where the node is switched on and off.
     *
     * @param password where that comes from
     * @param second by what else the same machine is switched: IPMI beside Redfish
     * @param further by what else after that: stock agents for what is no BMC
     */
    public record Bmc(
            BmcAddress address,
            String username,
            PasswordSource password,
            Verification verification,
            Optional<Bmc> second,
            List<FurtherLevel> further) {
        public Bmc {
            further = List.copyOf(further);
            if (address.isIpmi() != (verification instanceof Verification.SharedPassword)) {
                throw new IllegalArgumentException(
                        "a certificate goes with Redfish, and none with IPMI");
            }
            if (second.filter(other -> address.isIpmi() || !other.address().isIpmi()).isPresent()) {
                throw new IllegalArgumentException("the second of a BMC is IPMI beside Redfish");
            }
        }

        public Bmc(
                BmcAddress address,
                String username,
                PasswordSource password,
                Verification verification,
                Optional<Bmc> second) {
            this(address, username, password, verification, second, List.of());
        }

        /** Stock fence_redfish speaks nothing else. */
        public boolean hasStockAgent() {
            return address.transport() != BmcAddress.Transport.HTTP;
        }

        /** The same, with its password from elsewhere. */
        public Bmc withPassword(PasswordSource other) {
            return new Bmc(address, username, other, verification, second, further);
        }

        /** The same, with other levels after it. */
        public Bmc withFurther(List<FurtherLevel> others) {
            return new Bmc(address, username, password, verification, second, others);
        }

        private Bmc withSecond(Bmc other) {
            return new Bmc(address, username, password, verification, Optional.of(other), further);
        }

        private Bmc reached(BmcAddress where, String user) {
            return new Bmc(where, user, password, verification, second, further);
        }

        private Bmc installed(Path etc, String owner) {
            return new Bmc(
                    address,
                    username,
                    InstalledPasswords.source(etc, owner, password),
                    verification instanceof Verification.Authorities
                            ? new Verification.Authorities(
                                    etc.resolve("bmc").resolve(owner + ".ca.pem"))
                            : verification,
                    second.map(other -> other.installed(etc, owner + BmcName.SECOND)),
                    IntStream.range(0, further.size())
                            .mapToObj(i ->
                                    further.get(i).installed(etc, BmcName.further(owner, i + 1)))
                            .toList());
        }
    }

    /** By what the BMC is believed: with Redfish by its certificate. */
    public sealed interface Verification {
        /** Signed by an authority that the node's system trusts. */
        record SystemTrust() implements Verification {}

        /** Signed by an authority in this file. */
        record Authorities(Path file) implements Verification {}

        /** This very certificate, by its SHA-256, in hexadecimal. */
        record Pinned(String sha256) implements Verification {}

        /** Not at all, because somebody wrote so. */
        record None() implements Verification {}

        /** With IPMI, by its knowing the password, which is proven at the start of each session. */
        record SharedPassword() implements Verification {}
    }

    /** Which machine the node is, where the plan knows it; all empty otherwise. */
    public record Identity(Optional<String> systemUuid, Optional<String> serial, Set<String> macs) {
        public static final Identity UNKNOWN =
                new Identity(Optional.empty(), Optional.empty(), Set.of());

        public Identity {
            macs = Set.copyOf(macs);
        }

        public boolean known() {
            return systemUuid.isPresent() || serial.isPresent() || !macs.isEmpty();
        }
    }

    /**
     * How quickly a silent peer is given up.
     *
     * @param token how long Corosync waits for the token before it suspects a loss
     * @param consensus how long it then takes to agree on a new membership; Corosync asks for at
     *     least 1.2 times the token
     * @param dcDeadtime how long a starting Pacemaker waits for others
     */
    public record Timing(String profile, Duration token, Duration consensus, Duration dcDeadtime) {
        public static final Timing DEFAULT =
                new Timing("default", ofMillis(1000), ofMillis(1200), Duration.ofSeconds(5));
        public static final Timing FAST =
                new Timing("fast", ofMillis(500), ofMillis(600), Duration.ofSeconds(5));
        public static final Timing TOLERANT =
                new Timing("tolerant", ofMillis(3000), ofMillis(3600), Duration.ofSeconds(20));

        /** All that have a name. */
        static final List<Timing> PROFILES = List.of(DEFAULT, FAST, TOLERANT);

        /** Below, a busy scheduler or one lost packet looks like a death. */
        static final Duration SHORTEST_TOKEN = ofMillis(300);

        /** Above, a crash takes longer to notice than an administrator waits. */
        static final Duration LONGEST_TOKEN = Duration.ofSeconds(30);

        static final Duration LONGEST_CONSENSUS = Duration.ofSeconds(60);

        /** What may come on top of Corosync's own timers on a machine that is busy. */
        private static final Duration BUSY = Duration.ofSeconds(3);

        /** With a shorter span a node that is merely busy would be taken for one that lives on. */
        private static final Duration AT_LEAST = Duration.ofSeconds(10);

        /** How long Corosync takes at most to miss a node that lost its power. */
        public Duration missedWithin() {
            return missedWithin(token.plus(consensus));
        }

        /**
         * The same with other timers than the plan's, as long as Corosync still runs with them.
         *
         * @param timers token and consensus together
         */
        public static Duration missedWithin(Duration timers) {
            Duration busy = timers.plus(BUSY);
            return busy.compareTo(AT_LEAST) > 0 ? busy : AT_LEAST;
        }

        public static Optional<Timing> profile(String name) {
            return PROFILES.stream().filter(timing -> timing.profile.equals(name)).findFirst();
        }

        /** The consensus that goes with the shortest token. */
        static Duration shortestConsensus() {
            return consensusFor(SHORTEST_TOKEN);
        }

        private static Duration consensusFor(Duration token) {
            return ofMillis((token.toMillis() * 12 + 9) / 10);
        }

        /** What is wrong between own timings, as a sentence; empty if nothing. */
        static Optional<String> fault(Duration token, Duration consensus) {
            return consensus.compareTo(consensusFor(token)) >= 0
                    ? Optional.empty()
                    : Optional.of(
                            "consensus is %d ms; with a token of %d ms it must be at least %d ms"
                                    .formatted(
                                            consensus.toMillis(),
                                            token.toMillis(),
                                            consensusFor(token).toMillis()));
        }

        private static Duration ofMillis(long millis) {
            return Duration.ofMillis(millis);
        }
    }

    /**
     * An address that follows the serving node.
     *
     * @param prefix of its network; where it is not known, that of the interface which has a route
     *     to it
     * @param networkInterface that carries it; where it is not known, the one with such a route
     */
    public record Api(IpAddress address, OptionalInt prefix, Optional<String> networkInterface) {}

    /** What can be set about etcd. */
    public record Etcd(
            int clientPort,
            int peerPort,
            Duration heartbeat,
            Duration election,
            long quotaMegabytes) {
        /** etcd's own defaults, and the largest database its makers recommend. */
        public static final Etcd DEFAULT =
                new Etcd(2379, 2380, Duration.ofMillis(100), Duration.ofMillis(1000), 8192);
    }

    /** What became of reading a plan. */
    public sealed interface Reading {
        record Good(ClusterPlan plan) implements Reading {}

        /**
         * The file was there, and is no plan that could be used.
         *
         * @param findings each by itself; empty where the file could not be understood at all
         */
        record Bad(Failure failure, List<PlanFinding> findings) implements Reading {
            public Bad {
                findings = List.copyOf(findings);
            }
        }
    }

    /** Reads a plan as {@link #readNew} does; fails only where there is no file to read. */
    public static Reading examine(Path file) {
        return ClusterPlanReader.examine(file, ClusterPlanReader.Rules.NEW_PLAN);
    }

    /** Reads a plan that somebody wrote, by all rules; relative paths count from its directory. */
    public static ClusterPlan readNew(Path file) {
        return ClusterPlanReader.read(file, ClusterPlanReader.Rules.NEW_PLAN);
    }

    /** Reads a plan that a pair runs by, which an older Tandem may have taken. */
    public static ClusterPlan read(Path file) {
        return ClusterPlanReader.read(file, ClusterPlanReader.Rules.INSTALLED_PLAN);
    }

    /**
     * Reads the text of a plan that a pair runs by.
     *
     * @param file where it would lie: relative paths count from its directory
     */
    public static ClusterPlan readText(String text, Path file) {
        return ClusterPlanReader.readText(text, file, ClusterPlanReader.Rules.INSTALLED_PLAN);
    }

    public Optional<Node> node(String name) {
        return nodes.stream().filter(node -> node.name().equals(name)).findFirst();
    }

    /** The other node of the pair. */
    public Node peerOf(String name) {
        return nodes.stream().filter(node -> !node.name().equals(name)).findFirst().orElseThrow();
    }

    /** The node that survives when both are alive and cannot see each other. */
    public Node preferred() {
        return nodes.getFirst();
    }

    /** Those that can be switched in a second way, as they are switched by it. */
    public List<Node> nodesBySecond() {
        return nodes.stream().flatMap(node -> node.bySecond().stream()).toList();
    }

    /** The names of all of its BMCs, by {@link BmcName}. */
    public List<String> bmcs() {
        return nodes.stream()
                .flatMap(node ->
                        Stream.concat(
                                Stream.of(node.name()),
                                node
                                        .bySecond()
                                        .map(second -> second.name() + BmcName.SECOND)
                                        .stream()))
                .toList();
    }

    /** The node, as it is switched by that BMC; empty where the plan has none that is called so. */
    public Optional<Node> by(String bmc) {
        return BmcName.isSecond(bmc)
                ? node(BmcName.nodeOf(bmc)).flatMap(Node::bySecond)
                : node(bmc);
    }

    public Set<String> nodeNames() {
        return nodes.stream().map(Node::name).collect(Collectors.toSet());
    }

    /**
     * The same, with a BMC of a node reached in another way.
     *
     * @param bmc one of {@link #bmcs}
     * @throws Failure if that is by another protocol, for which the plan does not say how the BMC
     *     is believed
     */
    public ClusterPlan withBmc(String bmc, BmcAddress address, String username) {
        Bmc before =
                by(bmc).map(Node::bmc)
                        .orElseThrow(() ->
                                new Failure(
                                        BmcName.words(bmc) + " is not in the plan",
                                        "somebody has taken it out of the plan",
                                        "apply a plan that has it: tandem cluster apply"
                                                + " PLAN.yaml"));
        if (before.address().isIpmi() != address.isIpmi()) {
            throw new Failure(
                    BmcName.words(bmc) + " cannot be reached at that address",
                    address.isIpmi()
                            ? "it is one for IPMI, and the plan has Redfish for this BMC"
                            : "it is one for Redfish, and the plan has IPMI for this BMC",
                    "write the address into the plan; then on both nodes: tandem cluster apply"
                            + " PLAN.yaml");
        }
        Bmc reached = before.reached(address, username);
        String node = BmcName.nodeOf(bmc);
        return withBmc(
                node,
                BmcName.isSecond(bmc)
                        ? node(node).orElseThrow().bmc().withSecond(reached)
                        : reached);
    }

    /** The same, with another BMC of a node. */
    public ClusterPlan withBmc(String name, Bmc bmc) {
        return new ClusterPlan(
                this.name,
                timing,
                nodes.stream()
                        .map(node -> node.name().equals(name) ? node.with(bmc) : node)
                        .toList(),
                kubelet,
                bmcOff,
                loneStart,
                api,
                etcd,
                pcsdTokenFile);
    }

    /** The plan as it is kept on a node: the same, with secrets at their places on a node. */
    public ClusterPlan installed(Path etc) {
        return new ClusterPlan(
                name,
                timing,
                nodes.stream()
                        .map(node -> node.with(node.bmc().installed(etc, node.name())))
                        .toList(),
                kubelet,
                bmcOff,
                loneStart,
                api,
                etcd,
                etc.resolve("pcsd-token"));
    }

    /**
     * How long the second fence of a split is held back: the first one must be done by then, or
     * both nodes are off.
     */
    public Duration splitDelay() {
        return wholeSeconds(bmcOff.plus(FenceDelay.AFTER_THE_FIRST_SHOT));
    }

    /** How long the power of a node may take to go, before a level of fencing has failed. */
    public Duration powerLimit() {
        Duration power = wholeSeconds(bmcOff).plus(REQUESTS);
        return power.compareTo(LEAST_POWER_LIMIT) > 0 ? power : LEAST_POWER_LIMIT;
    }

    /** Rather one more. */
    private static Duration wholeSeconds(Duration time) {
        return Duration.ofSeconds(time.plusMillis(999).toSeconds());
    }

    /**
     * The same on the second level, where nobody can tell whether the other node has an agent: long
     * enough for one that has none.
     */
    public Duration levelTwoSplitDelay() {
        return splitDelay().plus(LEVEL_TWO_LATER);
    }

    /** The plan in its own language; reading it gives an equal plan. */
    public String toYaml() {
        return ClusterPlanWriter.write(this);
    }
}
