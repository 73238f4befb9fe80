package dev.tandem.agent.bmc;

import dev.tandem.agent.state.PeerIdentityFile;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPower;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.LatencyFigures;
import dev.tandem.host.bmc.PowerReport;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.RedfishClient;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.bmc.check.IdentityCheck;
import dev.tandem.host.plan.ClusterPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** The BMCs of both nodes, with their sessions kept warm and what was last read of them. */
public final class BmcSessions implements AutoCloseable {
    private static final String SAME = "same";

    private final Map<String, RedfishClient> clients = new LinkedHashMap<>();
    private final Map<String, Check> checks = new ConcurrentHashMap<>();
    private final Map<String, PeerIdentityFile> verified = new LinkedHashMap<>();
    private final InstantSource clock;
    private final Function<String, Optional<HardwareIdentity>> machines;

    /**
     * What the last look at a BMC gave.
     *
     * @param nanos when it was, by the monotonic clock
     * @param state the power state, or empty with the fault
     * @param trouble the fault as a value, where there is one
     * @param told which machine the BMC said it controls, when that was last compared
     * @param machine whether that is the node it is configured for
     * @param identity the same in words
     * @param open whether the question about its identity may find an answer soon
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
            boolean open) {
        public boolean isTheNodes() {
            return machine == Proofs.Machine.THE_PEER;
        }

        public boolean isAnothers() {
            return machine == Proofs.Machine.ANOTHER;
        }

        public PowerReading reading() {
            return state.map(BmcSessions::reading).orElse(PowerReading.UNKNOWN);
        }
    }

    /**
     * @param machines which machine a node is, as it published itself
     * @param state where is kept what a BMC told of a machine that was found to be the right one: a
     *     restarted agent, with the machine off, could not find out again
     */
    public BmcSessions(
            ClusterPlan plan,
            Function<String, Optional<HardwareIdentity>> machines,
            Path state,
            InstantSource clock) {
        this.clock = clock;
        this.machines = machines;
        plan.nodes()
                .forEach(node -> {
                    clients.put(node.name(), BmcPreflight.connect(node));
                    verified.put(
                            node.name(),
                            new PeerIdentityFile(state.resolve("bmc-identity-" + node.name())));
                });
    }

    /**
     * Whether an answer of a node's BMC is about that node, by what the very answer tells of the
     * machine.
     */
    Proofs.Machine machineOf(String node, HardwareIdentity told) {
        HardwareIdentity seen = told.withoutMacs();
        Optional<HardwareIdentity> kept =
                Optional.ofNullable(verified.get(node))
                        .flatMap(PeerIdentityFile::kept)
                        .filter(machine -> !machine.equals(HardwareIdentity.UNTOLD));
        if (kept.filter(machine -> agree(machine, seen)).isPresent()) {
            return Proofs.Machine.THE_PEER;
        }
        Proofs.Machine compared =
                machines.apply(node)
                        .map(machine -> verdict(IdentityCheck.compare(seen, machine)))
                        .orElse(Proofs.Machine.NOT_TOLD);
        // A BMC that could be told from others, and now cannot, may be another one.
        return compared == Proofs.Machine.NOT_TOLD && kept.isPresent()
                ? Proofs.Machine.ANOTHER
                : compared;
    }

    /**
     * Nothing of it differs, and something of it is the same; some BMCs tell less of a machine that
     * is off.
     */
    private static boolean agree(HardwareIdentity one, HardwareIdentity other) {
        boolean uuids = one.uuid().isPresent() && other.uuid().isPresent();
        boolean serials = one.serial().isPresent() && other.serial().isPresent();
        return (uuids || serials)
                && (!uuids || one.uuid().equals(other.uuid()))
                && (!serials || one.serial().equals(other.serial()));
    }

    /**
     * The same for an answer that is about to count; that it is another machine is remembered at
     * once, since the next fence may be ordered before the next look.
     */
    public Proofs.Machine judge(String node, HardwareIdentity told) {
        Proofs.Machine machine = machineOf(node, told);
        if (machine == Proofs.Machine.ANOTHER) {
            checks.computeIfPresent(
                    node,
                    (_, check) ->
                            new Check(
                                    check.at(),
                                    check.nanos(),
                                    check.state(),
                                    check.fault(),
                                    check.trouble(),
                                    check.latency(),
                                    told.withoutMacs(),
                                    machine,
                                    "different: the BMC controls " + told,
                                    false));
        }
        return machine;
    }

    /** Which machine a node's BMC controls, asked now; empty while that has not been compared. */
    public Optional<Proofs.Machine> askMachine(String node) {
        PowerReading _ = read(node);
        return Optional.ofNullable(checks.get(node))
                .filter(check -> !check.open())
                .map(Check::machine);
    }

    private static Proofs.Machine verdict(IdentityCheck.Verdict verdict) {
        return switch (verdict) {
            case IdentityCheck.Verdict.Same _ -> Proofs.Machine.THE_PEER;
            case IdentityCheck.Verdict.Different _ -> Proofs.Machine.ANOTHER;
            case IdentityCheck.Verdict.Incomparable _ -> Proofs.Machine.NOT_TOLD;
        };
    }

    /** Why a node must not be switched by its BMC: it is known to be another machine's. */
    public Optional<String> anotherMachine(String node) {
        return Optional.ofNullable(checks.get(node))
                .filter(check -> check.machine() == Proofs.Machine.ANOTHER)
                .map(check ->
                        "the BMC configured for %s controls another machine: %s"
                                .formatted(node, check.identity()));
    }

    public Map<String, BmcPower> power() {
        return Map.copyOf(clients);
    }

    public Map<String, Check> checks() {
        return Map.copyOf(checks);
    }

    public static PowerReading reading(PowerState state) {
        return state == PowerState.OFF ? PowerReading.OFF : PowerReading.ON;
    }

    /** The power of a node, read now. */
    public PowerReading read(String node) {
        RedfishClient client = clients.get(node);
        if (client == null) {
            return PowerReading.UNKNOWN;
        }
        BmcAnswer<PowerReport> answer = client.report();
        note(node, client, answer, false);
        return answer.known()
                .filter(report -> judge(node, report.machine()) != Proofs.Machine.ANOTHER)
                .map(report -> reading(report.state()))
                .orElse(PowerReading.UNKNOWN);
    }

    /** Reads all of them, which also keeps their sessions. */
    public void check(boolean withIdentity) {
        clients.keySet().forEach(node -> check(node, withIdentity));
    }

    void checkAllBut(String node, boolean withIdentity) {
        clients.keySet().stream()
                .filter(other -> !other.equals(node))
                .forEach(other -> check(other, withIdentity));
    }

    /** Reads that of one node. */
    void check(String node, boolean withIdentity) {
        RedfishClient client = clients.get(node);
        if (client != null) {
            Check before = checks.get(node);
            note(node, client, client.report(), withIdentity || before == null || before.open());
        }
    }

    /** The identity is compared when it is asked for, and when the BMC tells of another machine. */
    private void note(
            String node, RedfishClient client, BmcAnswer<PowerReport> answer, boolean identity) {
        Check before = checks.get(node);
        boolean changed =
                before != null
                        && answer.known()
                                .filter(report -> !report.machine().equals(before.told()))
                                .isPresent();
        Verdict verdict =
                identity || changed
                        ? identity(node, client)
                        : before == null
                                ? Verdict.open("not compared yet")
                                : new Verdict(
                                        before.told(),
                                        before.machine(),
                                        before.identity(),
                                        before.open());
        Optional<BmcFault> trouble =
                answer instanceof BmcAnswer.Unknown<PowerReport>(BmcFault fault)
                        ? Optional.of(fault)
                        : Optional.empty();
        checks.put(
                node,
                new Check(
                        clock.instant(),
                        System.nanoTime(),
                        answer.known().map(PowerReport::state),
                        trouble.map(BmcFault::sentence).orElse(""),
                        trouble,
                        client.latency().map(LatencyFigures::median),
                        verdict.told(),
                        verdict.machine(),
                        verdict.words(),
                        verdict.open()));
    }

    private record Verdict(
            HardwareIdentity told, Proofs.Machine machine, String words, boolean open) {
        static Verdict open(String words) {
            return new Verdict(HardwareIdentity.UNTOLD, Proofs.Machine.NOT_TOLD, words, true);
        }
    }

    private Verdict identity(String node, RedfishClient client) {
        Optional<HardwareIdentity> machine = machines.apply(node);
        if (machine.isEmpty()) {
            return Verdict.open("unknown: " + node + " has not said which machine it is");
        }
        return switch (client.identity()) {
            case BmcAnswer.Read<HardwareIdentity>(HardwareIdentity theirs, Duration _) ->
                    compared(node, theirs, machine.get());
            case BmcAnswer.Unknown<HardwareIdentity>(BmcFault fault) ->
                    Verdict.open("unknown: " + fault.sentence());
        };
    }

    private Verdict compared(String node, HardwareIdentity theirs, HardwareIdentity machine) {
        HardwareIdentity told = theirs.withoutMacs();
        IdentityCheck.Verdict result = IdentityCheck.compare(theirs, machine);
        String words =
                switch (result) {
                    case IdentityCheck.Verdict.Same _ -> {
                        Optional.ofNullable(verified.get(node)).ifPresent(kept -> kept.keep(told));
                        yield SAME;
                    }
                    case IdentityCheck.Verdict.Different(String why) -> "different: " + why;
                    case IdentityCheck.Verdict.Incomparable(String why) -> "unknown: " + why;
                };
        return new Verdict(told, verdict(result), words, false);
    }

    /** Side by side: one that does not answer takes no time from the other. */
    @Override
    public void close() {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            clients.values().forEach(client -> threads.execute(client::close));
        }
    }
}
