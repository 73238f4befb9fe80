package dev.tandem.agent;

import dev.tandem.core.decision.PowerReading;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPower;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.IdentityCheck;
import dev.tandem.host.bmc.LatencyFigures;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.RedfishClient;
import dev.tandem.host.pacemaker.BmcPreflight;
import dev.tandem.host.pacemaker.ClusterPlan;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The BMCs of both nodes, with their sessions kept warm and what was last read of them. */
final class Bmcs implements AutoCloseable {
    private static final String SAME = "same";
    private static final String DIFFERENT = "different: ";

    private final Map<String, RedfishClient> clients = new LinkedHashMap<>();
    private final Map<String, Check> checks = new ConcurrentHashMap<>();
    private final InstantSource clock;
    private final Function<String, Optional<HardwareIdentity>> machines;

    /**
     * What the last look at a BMC gave.
     *
     * @param nanos when it was, by the monotonic clock
     * @param state the power state, or empty with the fault
     * @param trouble the fault as a value, where there is one
     * @param identity whether it is the BMC of the node it is configured for
     * @param open whether the question about its identity may find an answer soon
     */
    record Check(
            Instant at,
            long nanos,
            Optional<PowerState> state,
            String fault,
            Optional<BmcFault> trouble,
            Optional<Duration> latency,
            String identity,
            boolean open) {
        boolean isTheNodes() {
            return identity.equals(SAME);
        }

        boolean isAnothers() {
            return identity.startsWith(DIFFERENT);
        }

        PowerReading reading() {
            return state.map(Bmcs::reading).orElse(PowerReading.UNKNOWN);
        }
    }

    /**
     * @param machines which machine a node is, by its own word
     */
    Bmcs(
            ClusterPlan plan,
            Function<String, Optional<HardwareIdentity>> machines,
            InstantSource clock) {
        this.clock = clock;
        this.machines = machines;
        plan.nodes().forEach(node -> clients.put(node.name(), BmcPreflight.connect(node)));
    }

    Map<String, BmcPower> power() {
        return Map.copyOf(clients);
    }

    Map<String, Check> checks() {
        return Map.copyOf(checks);
    }

    static PowerReading reading(PowerState state) {
        return state == PowerState.OFF ? PowerReading.OFF : PowerReading.ON;
    }

    /** The power of a node, read now. */
    PowerReading read(String node) {
        RedfishClient client = clients.get(node);
        if (client == null) {
            return PowerReading.UNKNOWN;
        }
        BmcAnswer<PowerState> answer = client.read();
        note(node, client, answer, false);
        return answer.known().map(Bmcs::reading).orElse(PowerReading.UNKNOWN);
    }

    /** Reads all of them, which also keeps their sessions. */
    void check(boolean withIdentity) {
        clients.forEach((node, client) -> {
            Check before = checks.get(node);
            note(node, client, client.read(), withIdentity || before == null || before.open());
        });
    }

    private void note(
            String node, RedfishClient client, BmcAnswer<PowerState> answer, boolean identity) {
        Check before = checks.get(node);
        Verdict verdict =
                identity
                        ? identity(node, client)
                        : before == null
                                ? new Verdict("not compared yet", true)
                                : new Verdict(before.identity(), before.open());
        Optional<BmcFault> trouble =
                answer instanceof BmcAnswer.Unknown<PowerState>(BmcFault fault)
                        ? Optional.of(fault)
                        : Optional.empty();
        checks.put(
                node,
                new Check(
                        clock.instant(),
                        System.nanoTime(),
                        answer.known(),
                        trouble.map(BmcFault::sentence).orElse(""),
                        trouble,
                        client.latency().map(LatencyFigures::median),
                        verdict.words(),
                        verdict.open()));
    }

    private record Verdict(String words, boolean open) {}

    private Verdict identity(String node, RedfishClient client) {
        Optional<HardwareIdentity> machine = machines.apply(node);
        if (machine.isEmpty()) {
            return new Verdict("unknown: " + node + " has not said which machine it is", true);
        }
        return switch (client.identity()) {
            case BmcAnswer.Read<HardwareIdentity>(HardwareIdentity theirs, Duration _) ->
                    switch (IdentityCheck.compare(theirs, machine.get())) {
                        case IdentityCheck.Verdict.Same _ -> new Verdict(SAME, false);
                        case IdentityCheck.Verdict.Different(String why) ->
                                new Verdict(DIFFERENT + why, false);
                        case IdentityCheck.Verdict.Incomparable(String why) ->
                                new Verdict("unknown: " + why, false);
                    };
            case BmcAnswer.Unknown<HardwareIdentity>(BmcFault fault) ->
                    new Verdict("unknown: " + fault.sentence(), true);
        };
    }

    @Override
    public void close() {
        clients.values().forEach(RedfishClient::close);
    }
}
