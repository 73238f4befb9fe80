package dev.tandem.agent.bmc;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.state.BootTimestamps.Event;
import dev.tandem.agent.state.BootTimestamps.Moment;
import dev.tandem.core.BmcAddress;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.host.RunFile;
import dev.tandem.host.bmc.Bmc;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPower;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.LatencyFigures;
import dev.tandem.host.bmc.NodeIdentities;
import dev.tandem.host.bmc.PowerReport;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.login.Denials;
import dev.tandem.host.bmc.login.DeniedLogins;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodePasswords;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The BMCs of both nodes, with their sessions kept warm and what was last read of them. */
public final class BmcSessions implements AutoCloseable {
    /** The shim of the second level waits 8 s for its answer, and a fence not for ever. */
    public static final Duration QUESTION = Duration.ofSeconds(5);

    /** The first of them wait for a connection and a login. */
    private static final int ENOUGH_ANSWERS = 5;

    /** The login is right, and its account may not do that. */
    private static final int FORBIDDEN = 403;

    /** Below the places of the first: the shim of the second level looks there too. */
    public static final String SECOND = DeniedLogins.SECOND;

    private final Map<String, BmcConnection> connections = new ConcurrentHashMap<>();
    private final Map<String, NodeBmc> bmcs = new ConcurrentHashMap<>();
    private final Map<String, ClusterPlan.Node> nodes;
    private final BiFunction<ClusterPlan.Node, Bmc, NodeBmc> observation;
    private final Path run;
    private final DeniedLogins denied;
    private final NodeName peer;
    private final BootTimestamps moments;
    private final LongSupplier nanos;
    private final NodePasswords passwords;
    private final Consumer<String> askSource;
    private final Optional<BmcSessions> second;

    /**
     * What the last look at a BMC gave.
     *
     * @param nanos when it was, by the monotonic clock
     * @param state the power state, or empty with the fault
     * @param trouble the fault as a value, where there is one
     * @param told which machine the BMC said it controls, when that was last compared
     * @param machine whether that is the node it is configured for
     * @param identity the same in words
     * @param foundNanos when that was found, by the monotonic clock
     */
    public record Check(
            Instant at,
            long nanos,
            Optional<PowerState> state,
            String fault,
            Optional<BmcFault> trouble,
            Optional<Duration> latency,
            HardwareIdentity told,
            Proofs.Machine machine,
            String identity,
            long foundNanos) {
        public boolean isTheNodes() {
            return machine == Proofs.Machine.THE_PEER;
        }

        public boolean isAnothers() {
            return machine == Proofs.Machine.ANOTHER;
        }

        public PowerReading reading() {
            return state.map(BmcSessions::reading).orElse(PowerReading.UNKNOWN);
        }

        /** The same reading, and what was found about the machine. */
        Check with(HardwareIdentity said, Proofs.Machine found, String words, long when) {
            return new Check(at, nanos, state, fault, trouble, latency, said, found, words, when);
        }
    }

    /**
     * Connects to the BMCs of both nodes, and to their seconds where the plan has them.
     *
     * @param machines which machine a node is, as it published itself
     * @param state where is kept what a BMC told of a machine that was found to be the right one: a
     *     restarted agent, with the machine off, could not find out again
     * @param run where open sessions and denied logins are kept for the next agent of this boot
     * @param peer the node that is fenced from here
     * @param moments where it is noted that its BMC controls another machine
     * @param nanos the monotonic clock
     * @param askSource told of a node whose password should be read from its source now: its BMC
     *     has denied the login that is in use, or the source is another
     */
    public BmcSessions(
            ClusterPlan plan,
            Function<String, Optional<HardwareIdentity>> machines,
            Path state,
            Path run,
            NodeName peer,
            BootTimestamps moments,
            InstantSource clock,
            LongSupplier nanos,
            NodePasswords passwords,
            Consumer<String> askSource) {
        this(
                plan,
                new ConcurrentHashMap<>(),
                machines,
                state,
                run,
                peer,
                moments,
                clock,
                nanos,
                passwords,
                askSource);
    }

    private BmcSessions(
            ClusterPlan plan,
            Map<String, ClusterPlan.Node> nodes,
            Function<String, Optional<HardwareIdentity>> machines,
            Path state,
            Path run,
            NodeName peer,
            BootTimestamps moments,
            InstantSource clock,
            LongSupplier nanos,
            NodePasswords passwords,
            Consumer<String> askSource) {
        this(
                plan.nodes(),
                nodes,
                machines,
                name -> others(nodes, name, machines),
                state,
                run,
                peer,
                moments,
                clock,
                nanos,
                passwords,
                askSource,
                Optional.of(
                        new BmcSessions(
                                plan.nodesBySecond(),
                                new ConcurrentHashMap<>(),
                                machines,
                                name -> others(nodes, name, machines),
                                state.resolve(SECOND),
                                run.resolve(SECOND),
                                peer,
                                new BootTimestamps(run.resolve(SECOND).resolve("moments")),
                                clock,
                                nanos,
                                passwords,
                                // Its password is in a file, which has no other.
                                _ -> {},
                                Optional.empty())));
    }

    private BmcSessions(
            List<ClusterPlan.Node> planned,
            Map<String, ClusterPlan.Node> nodes,
            Function<String, Optional<HardwareIdentity>> machines,
            Function<String, List<HardwareIdentity>> others,
            Path state,
            Path run,
            NodeName peer,
            BootTimestamps moments,
            InstantSource clock,
            LongSupplier nanos,
            NodePasswords passwords,
            Consumer<String> askSource,
            Optional<BmcSessions> second) {
        this.nodes = nodes;
        this.run = run;
        this.denied = new DeniedLogins(run, nanos);
        this.peer = peer;
        this.moments = moments;
        this.nanos = nanos;
        this.passwords = passwords;
        this.askSource = askSource;
        this.second = second;
        this.observation =
                (node, client) ->
                        new NodeBmc(
                                new BmcQuestions(client),
                                NodeIdentities.planned(node),
                                () -> machines.apply(node.name()),
                                () -> others.apply(node.name()),
                                new VerifiedMachineFile(
                                        state.resolve("bmc-identity-" + node.name())),
                                node.name().equals(peer.value())
                                        ? AnotherMachineMark.ofThePeer(
                                                moments, run.resolve("bmc-another-machine"))
                                        : AnotherMachineMark.NOT_KEPT,
                                clock,
                                nanos);
        for (ClusterPlan.Node node : planned) {
            bmcs.put(node.name(), connectIfPossible(node));
            countTogether(node.name());
        }
    }

    private static List<HardwareIdentity> others(
            Map<String, ClusterPlan.Node> nodes,
            String node,
            Function<String, Optional<HardwareIdentity>> machines) {
        return nodes.values().stream()
                .filter(other -> !other.name().equals(node))
                .flatMap(other ->
                        Stream.concat(
                                NodeIdentities.planned(other).stream(),
                                machines.apply(other.name()).stream()))
                .toList();
    }

    /**
     * The same nodes by the second of their BMCs, as far as the plan in use has them. Nothing is
     * switched over these sessions: they tell the second level whether it may, and whom it has
     * switched.
     */
    public Optional<BmcSessions> second() {
        return second.filter(other -> !other.nodes.isEmpty());
    }

    /**
     * Keeps in mind whether the second of the peer's BMC does not tell which machine it controls
     * while the first tells. It holds only as long as the first answers: once that is silent, a
     * fence by the second at least ends what hangs, and the node comes back. Before the first was
     * asked, what an earlier agent noted stands.
     */
    void noteWhetherSecondTells() {
        synchronized (moments) {
            second.ifPresent(other ->
                    bmc(peer.value())
                            .flatMap(NodeBmc::last)
                            .ifPresent(first ->
                                    other.noteWhetherTells(answered(first) && first.isTheNodes())));
        }
    }

    private void noteWhetherTells(boolean firstTells) {
        Optional<Check> its = bmc(peer.value()).flatMap(NodeBmc::last);
        if (!firstTells || its.filter(BmcSessions::tells).isPresent()) {
            moments.forget(Event.MACHINE_NOT_TOLD);
        } else if (its.filter(BmcSessions::answered).isPresent() && !machineNotTold()) {
            boolean _ = moments.note(Event.MACHINE_NOT_TOLD);
        }
    }

    private static boolean answered(Check check) {
        return check.state().isPresent();
    }

    private static boolean tells(Check check) {
        return check.machine() != Proofs.Machine.NOT_TOLD;
    }

    private boolean machineNotTold() {
        return !(moments.last(Event.MACHINE_NOT_TOLD) instanceof Moment.Never);
    }

    /**
     * Why a fence by the second of the peer's BMC had better not be tried: it would count as done
     * and prove nothing, while one by the first, which Pacemaker tries next, would prove it.
     */
    public Optional<String> secondProvesNothing() {
        return second.filter(BmcSessions::machineNotTold)
                .map(_ ->
                        "over IPMI the BMC of %s does not tell which machine it controls, so this fence would prove nothing; over Redfish it does"
                                .formatted(peer));
    }

    /**
     * From now on the BMC of a node is reached in this way. A fence that is under way goes on over
     * the connection that it began with, and what is known of the BMC stays until it has been read.
     */
    public synchronized void replace(ClusterPlan.Node node) {
        BmcCredentials wanted = credentials(node);
        if (!lacksPassword(node.name()) && !isSameLogin(node, wanted)) {
            // The BMC has just accepted what is new, and what it denied was something else.
            denied.forget(node.name());
        }
        // A session belongs to the account that has it.
        session(node.name()).delete();
        NodeBmc fresh = connect(node, wanted);
        BmcConnection made = connections.get(node.name());
        Thread.ofVirtual()
                .name("bmc-first-look")
                .start(() -> {
                    fresh.look();
                    if (made == connections.get(node.name())) {
                        bmcs.put(node.name(), fresh);
                    }
                });
        replaceSecond(node);
    }

    /** The same for the second of its BMC alone, if it is reached in another way than before. */
    void replaceSecond(ClusterPlan.Node node) {
        second.ifPresent(other -> other.follow(node.name(), node.bySecond()));
        countTogether(node.name());
    }

    /** Wrong logins of one account, whichever way they come. */
    private void countTogether(String node) {
        BmcConnection first = connections.get(node);
        if (first == null || second.isEmpty()) {
            return;
        }
        Optional<BmcConnection> other =
                second.map(BmcSessions::connections)
                        .flatMap(theirs -> Optional.ofNullable(theirs.get(node)));
        boolean same = other.filter(first::logsInLike).isPresent();
        first.backoff().countWith(other.filter(_ -> same).map(BmcConnection::backoff));
        other.ifPresent(way ->
                way.backoff().countWith(same ? Optional.of(first.backoff()) : Optional.empty()));
    }

    /** Whether both ways to a node's BMC log in to the same account with the same password. */
    boolean waysShareALogin(String node) {
        Optional<BmcConnection> other =
                second.flatMap(way -> Optional.ofNullable(way.connections.get(node)));
        return Optional.ofNullable(connections.get(node))
                .filter(first -> other.filter(first::logsInLike).isPresent())
                .isPresent();
    }

    private Map<String, BmcConnection> connections() {
        return connections;
    }

    /** The same account of the same BMC: whatever is new besides, it was denied what it denied. */
    private boolean isSameLogin(ClusterPlan.Node node, BmcCredentials wanted) {
        ClusterPlan.Node known = nodes.get(node.name());
        BmcConnection connection = connections.get(node.name());
        return known != null
                && connection != null
                && known.bmc().address().equals(node.bmc().address())
                && connection.logsInWith(wanted);
    }

    /** The connection stays as it is. */
    void onNewSource(ClusterPlan.Node node) {
        nodes.put(node.name(), node);
        askSource.accept(node.name());
    }

    private void follow(String node, Optional<ClusterPlan.Node> wanted) {
        if (wanted.isEmpty()) {
            forget(node);
        } else if (!isReachedAs(wanted.get())) {
            replace(wanted.get());
        }
    }

    /** The plan has none for that node any more. */
    private synchronized void forget(String node) {
        nodes.remove(node);
        bmcs.remove(node);
        Optional.ofNullable(connections.remove(node)).ifPresent(BmcConnection::replace);
        denied.forget(node);
        session(node).delete();
    }

    /** Whether the second of a node's BMC is reached in another way than this, or not at all. */
    boolean secondDiffers(ClusterPlan.Node node) {
        return second.filter(other ->
                        node.bySecond()
                                .map(wanted -> !other.isReachedAs(wanted))
                                .orElseGet(() -> other.has(node.name())))
                .isPresent();
    }

    private boolean isReachedAs(ClusterPlan.Node wanted) {
        ClusterPlan.Node known = nodes.get(wanted.name());
        BmcConnection connection = connections.get(wanted.name());
        if (known == null
                || connection == null
                || !known.bmc().equals(wanted.bmc())
                || !known.identity().equals(wanted.identity())) {
            return false;
        }
        try {
            return connection.logsInWith(credentials(wanted));
        } catch (Failure e) {
            // With a password that cannot be read nothing can be reached in another way.
            return true;
        }
    }

    private RunFile session(String node) {
        return new RunFile(run.resolve("bmc-session-" + node));
    }

    /**
     * An agent that cannot log in to a BMC runs etcd all the same, and the second fencing level has
     * ways of its own.
     */
    private NodeBmc connectIfPossible(ClusterPlan.Node node) {
        try {
            return connect(node, credentials(node));
        } catch (Failure e) {
            return connect(node, new BmcConnection(e));
        }
    }

    /** Reads once more the passwords that could not be read, and connects where that helps. */
    public void readMissingPasswords() {
        connections.keySet().forEach(this::readIfMissing);
        second.ifPresent(BmcSessions::readMissingPasswords);
        connections.keySet().forEach(this::countTogether);
    }

    /** Whether the password for the BMC of a node could not be read when it was last tried. */
    boolean lacksPassword(String node) {
        return Optional.ofNullable(connections.get(node))
                .flatMap(BmcConnection::unread)
                .isPresent();
    }

    private synchronized void readIfMissing(String node) {
        ClusterPlan.Node one = nodes.get(node);
        if (one == null || !lacksPassword(node)) {
            return;
        }
        try {
            replace(one);
        } catch (Failure e) {
            boolean known =
                    Optional.ofNullable(connections.get(node))
                            .flatMap(BmcConnection::unread)
                            .filter(before -> before.why().equals(e.why()))
                            .isPresent();
            if (!known) {
                bmcs.put(node, connect(one, new BmcConnection(e)));
            }
        }
    }

    private NodeBmc connect(ClusterPlan.Node node, BmcCredentials credentials) {
        return connect(
                node,
                new BmcConnection(
                        node,
                        credentials,
                        new LoginBackoff(
                                // Both nodes try: the one that does not depend on it, seldom.
                                node.name().equals(peer.value())
                                        ? LoginBackoff.SOON
                                        : LoginBackoff.OWN,
                                nanos,
                                new ReportedDenials(
                                        denied.ofTheAgent(
                                                node.name(),
                                                node.bmc().address(),
                                                credentials.user(),
                                                credentials.password(),
                                                NodePasswords.file(node)),
                                        () -> askSource.accept(node.name()))),
                        new SessionFile(
                                session(node.name()), node.bmc().address(), credentials.user())));
    }

    private NodeBmc connect(ClusterPlan.Node node, BmcConnection connection) {
        nodes.put(node.name(), node);
        Optional.ofNullable(connections.put(node.name(), connection))
                .ifPresent(BmcConnection::replace);
        return observation.apply(node, connection.client());
    }

    /** With what the BMC of a node of the plan is logged in to; throws why with nothing. */
    BmcCredentials credentials(String node) {
        readIfMissing(node);
        return Objects.requireNonNull(connections.get(node), node).credentials();
    }

    /** Until a login that the BMC of a node denied is tried again; empty where none was denied. */
    public Optional<Duration> untilNextLogin(String node) {
        return Optional.ofNullable(connections.get(node))
                .flatMap(connection -> connection.backoff().untilNextTry());
    }

    private BmcCredentials credentials(ClusterPlan.Node node) {
        return new BmcCredentials(node.bmc().username(), passwords.of(node));
    }

    /** Keeps denials, and tells somebody who may know a better password. */
    private record ReportedDenials(LoginBackoff.Memory memory, Runnable denied)
            implements LoginBackoff.Memory {
        @Override
        public Optional<Denials> kept() {
            return memory.kept();
        }

        @Override
        public void keep(Denials denials) {
            memory.keep(denials);
            denied.run();
        }

        @Override
        public void forget() {
            memory.forget();
        }
    }

    /**
     * The BMC of a node denied another password than the one in use. While it denies that one too,
     * both count together where the BMC counts, and so they do here.
     */
    void onOtherDenied(String node) {
        Optional.ofNullable(connections.get(node))
                .map(BmcConnection::backoff)
                .ifPresent(LoginBackoff::onOtherDenied);
    }

    /** The BMC of a node was seen to accept the login that is in use: it may be tried at once. */
    void onAccepted(String node) {
        bmc(node).ifPresent(NodeBmc::onOrderAccepted);
        Optional.ofNullable(connections.get(node))
                .ifPresent(connection -> connection.backoff().onAccepted());
    }

    /**
     * Why somebody else must not log in to the BMC of a node with the password on the disk: it is
     * the one that was denied, and every try brings the account closer to being locked.
     */
    public Optional<String> deniedPassword(String node) {
        ClusterPlan.Node one = nodes.get(node);
        BmcConnection connection = connections.get(node);
        if (one == null || connection == null || !connection.backoff().denied()) {
            return Optional.empty();
        }
        try {
            return connection.denies(credentials(one));
        } catch (Failure e) {
            // Whoever tries will find that it cannot be read.
            return Optional.empty();
        }
    }

    /** Switches power, or asks for it, over the connections that there are now. */
    public <T> T holdingConnections(Supplier<T> work) {
        List<BmcConnection> used = List.copyOf(connections.values());
        used.forEach(BmcConnection::begin);
        try {
            return work.get();
        } finally {
            used.forEach(BmcConnection::end);
        }
    }

    private record BmcQuestions(Bmc client) implements NodeBmc.Questions {
        @Override
        public BmcAnswer<PowerReport> report(Duration limit) {
            return client.report(limit);
        }

        @Override
        public BmcAnswer<PowerReport> reportForProof(Duration limit) {
            return client.reportForProof(limit);
        }

        @Override
        public boolean isLeftAlone() {
            return client.isLeftAlone();
        }

        @Override
        public BmcAnswer<HardwareIdentity> identity(Duration limit) {
            return client.identity(limit);
        }

        @Override
        public BmcAnswer<BmcPrivileges> privileges(Duration limit) {
            return client.privileges(limit);
        }

        @Override
        public BmcAnswer<Bmc.Login> proveLogin(Duration limit) {
            return client.proveLogin(limit);
        }

        @Override
        public Optional<LatencyFigures> latency() {
            return client.latency();
        }
    }

    private Optional<NodeBmc> bmc(String node) {
        return Optional.ofNullable(bmcs.get(node));
    }

    /**
     * Whether an answer of a node's BMC is about that node, for an answer that is about to count;
     * that it is another machine is remembered at once, since the next fence may be ordered before
     * the next look.
     */
    public Proofs.Machine judge(String node, HardwareIdentity told) {
        return bmc(node).map(bmc -> bmc.judge(told)).orElse(Proofs.Machine.NOT_TOLD);
    }

    /**
     * Whether it is that node that a BMC has told of at some time, be it another BMC than the one
     * that is in use.
     */
    public Proofs.Machine machineOf(String node, HardwareIdentity told) {
        return bmc(node).map(bmc -> bmc.machineOf(told)).orElse(Proofs.Machine.NOT_TOLD);
    }

    /** A node's BMC, asked now; empty while it cannot be told which machine it controls. */
    public Optional<Check> askMachine(String node) {
        return bmc(node).flatMap(NodeBmc::askMachine);
    }

    /**
     * Why a node must not be switched off by its BMC now: it is another machine's. The BMC is asked
     * if it was not looked at lately, as after a start of this agent.
     */
    public Optional<String> anotherMachineNow(String node) {
        return anotherMachine(node, NodeBmc.FRESH);
    }

    /**
     * The same for somebody who has no time: the BMC is asked only if nothing is known of it. One
     * that does not answer soon is not known to be another machine's.
     */
    public Optional<String> anotherMachine(String node) {
        return anotherMachine(node, NodeBmc.LATELY);
    }

    private Optional<String> anotherMachine(String node, Duration age) {
        bmc(node)
                .filter(bmc -> !bmc.isTheNodes(age))
                .filter(bmc -> bmc.last().filter(Check::isAnothers).isEmpty())
                .ifPresent(bmc -> within(QUESTION, () -> bmc.look(QUESTION)));
        return knownAsAnother(node);
    }

    /** The same without asking. */
    public Optional<String> knownAsAnother(String node) {
        return bmc(node)
                .flatMap(NodeBmc::last)
                .filter(Check::isAnothers)
                .map(check ->
                        "the BMC configured for %s controls another machine: %s"
                                .formatted(node, check.identity()));
    }

    /** Waits no longer than that; what takes longer goes on, and its answer serves the next. */
    private static void within(Duration limit, Runnable question) {
        Thread asking = Thread.ofVirtual().name("bmc-question").start(question);
        try {
            boolean _ = asking.join(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether there is one for that node. */
    public boolean has(String node) {
        return nodes.containsKey(node);
    }

    /** Where it is reached, if there is one: a plan that has none any more may come at any time. */
    public Optional<BmcAddress> addressIfPlanned(String node) {
        return Optional.ofNullable(nodes.get(node)).map(one -> one.bmc().address());
    }

    /** Where the BMC of a node of the plan is reached. */
    public BmcAddress address(String node) {
        return Objects.requireNonNull(nodes.get(node), node).bmc().address();
    }

    public Map<String, BmcPower> power() {
        Map<String, BmcPower> power = new LinkedHashMap<>();
        connections.forEach((node, connection) -> power.put(node, connection.client()));
        return power;
    }

    public Map<String, Check> checks() {
        Map<String, Check> checks = new LinkedHashMap<>();
        bmcs.forEach((node, bmc) -> bmc.last().ifPresent(check -> checks.put(node, check)));
        return checks;
    }

    /** How long the BMC of a node takes to answer, once it has answered a few times. */
    public Optional<LatencyFigures> answers(String node) {
        return bmc(node)
                .flatMap(NodeBmc::latency)
                .filter(figures -> figures.count() >= ENOUGH_ANSWERS);
    }

    /** When the certificate that a node's BMC last showed expires. */
    public Optional<Instant> certificateEnds(String node) {
        return Optional.ofNullable(connections.get(node))
                .flatMap(connection -> connection.client().certificateEnds());
    }

    public static PowerReading reading(PowerState state) {
        return state == PowerState.OFF ? PowerReading.OFF : PowerReading.ON;
    }

    /** The power of a node, read now. */
    public PowerReading read(String node) {
        return bmc(node)
                .map(NodeBmc::glance)
                .filter(check -> !check.isAnothers())
                .map(Check::reading)
                .orElse(PowerReading.UNKNOWN);
    }

    /** Reads all of them, which also keeps their sessions. */
    public void check() {
        bmcs.values().forEach(NodeBmc::look);
    }

    /** Reads that of one node. */
    void check(String node) {
        bmc(node).ifPresent(NodeBmc::look);
    }

    void checkAllBut(String node) {
        bmcs.keySet().stream().filter(other -> !other.equals(node)).forEach(this::check);
    }

    /** Whether the account of a node's BMC may switch power, as far as that was told. */
    public BmcPrivileges.MayReset mayReset(String node) {
        return bmc(node).map(NodeBmc::mayReset).orElse(BmcPrivileges.MayReset.NOT_TOLD);
    }

    /** How an order to switch a node off ended at its BMC. */
    public void onOrder(String node, Optional<BmcFault> fault) {
        bmc(node)
                .ifPresent(bmc -> {
                    if (fault.isEmpty()) {
                        bmc.onOrderAccepted();
                    } else if (fault.get() instanceof BmcFault.Denied(int status, String _)
                            && status == FORBIDDEN) {
                        bmc.onOrderRefused();
                    }
                });
    }

    /** Asks the BMCs that answer what their accounts may do, where it is time to. */
    void askRightsIfDue() {
        bmcs.values().forEach(NodeBmc::askRightsIfDue);
        second.ifPresent(BmcSessions::askRightsIfDue);
    }

    /** Only of the node that is fenced from here: the other node tries the other one. */
    void tryPasswordIfDue() {
        boolean doubted = untilNextLogin(peer.value()).filter(Duration::isZero).isPresent();
        bmc(peer.value()).ifPresent(bmc -> bmc.tryPasswordIfDue(doubted));
    }

    /** Why the BMC of a node does not take the stored password any more, if that was found. */
    public Optional<String> storedPasswordRefused(String node) {
        return bmc(node).flatMap(NodeBmc::storedPasswordRefused);
    }

    /** Side by side: one that does not answer takes no time from the other. */
    @Override
    public void close() {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            connections.values().forEach(connection -> threads.execute(connection.client()::close));
            second.ifPresent(other -> threads.execute(other::close));
        }
    }
}
