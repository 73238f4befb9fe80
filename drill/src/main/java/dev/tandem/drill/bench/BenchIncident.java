package dev.tandem.drill.bench;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.core.health.RecoveryPrediction;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** What happens to the pair in a run of the bench. */
public enum BenchIncident {
    /** The power of one node fails. */
    POWER(5_000, 10_000),
    /**
     * The kernel of one node stops, and its BMC still reads On: nobody can tell it from a split.
     */
    PANIC(10_000, 15_000),
    /** Both live and do not hear each other. */
    SPLIT(10_000, 15_000),
    /** The process etcd of one node is killed: nobody has to be fenced for it. */
    ETCD(5_000, 5_000);

    static final String SPLIT_NETWORK = "cluster0";

    /** A disk that reads 100 MB a second. */
    private static final long LOADED_MILLIS_PER_MEGABYTE = 10;

    private final long median;
    private final long nearlyAll;

    BenchIncident(long median, long nearlyAll) {
        this.median = median;
        this.nearlyAll = nearlyAll;
    }

    /**
     * Milliseconds to the first acknowledged write that half of the runs may take at most, and
     * those that 99 of 100 may take.
     *
     * @param bmcOff how long a BMC takes to switch off: that time is the hardware's, and the one
     *     that fences second waits as much longer as the plan then says
     * @param megabytes of the database, which a server has to read before it serves
     */
    Objective objective(Duration bmcOff, long megabytes) {
        Duration loading = Duration.ofMillis(LOADED_MILLIS_PER_MEGABYTE * megabytes);
        Duration extra =
                switch (this) {
                    case POWER, ETCD -> loading;
                    case PANIC, SPLIT -> loading.plus(bmcOff).plus(longerDelay(bmcOff));
                };
        return new Objective(median + extra.toMillis(), nearlyAll + extra.toMillis());
    }

    private static Duration longerDelay(Duration bmcOff) {
        Duration more = bmcOff.minus(ClusterPlan.QUICK_BMC_OFF);
        return more.isNegative() ? Duration.ZERO : more;
    }

    /** Limits of a bench, in milliseconds. */
    record Objective(long median, long nearlyAll) {
        /** The same for the first write that the API accepts at its address. */
        Objective ofApi() {
            return new Objective(median + 1_000, nearlyAll + 2_000);
        }
    }

    /** What a status predicts of it; nobody is fenced for a server that died. */
    Optional<Predicted> predicted(AgentStatus.Prediction prediction) {
        Long api = prediction.parts().get(RecoveryPrediction.Part.API.label());
        Long hung = prediction.hungMillis();
        return switch (this) {
            case POWER ->
                    Optional.of(
                            new Predicted(
                                    prediction.millis(),
                                    Optional.ofNullable(prediction.apiMillis())));
            case PANIC, SPLIT ->
                    Optional.ofNullable(hung)
                            .map(millis ->
                                    new Predicted(
                                            millis,
                                            Optional.ofNullable(api).map(more -> millis + more)));
            case ETCD -> Optional.empty();
        };
    }

    /** Milliseconds until etcd writes, and until the API does where it has an address. */
    record Predicted(long etcd, Optional<Long> api) {}

    /** How many nodes are switched off by a fence; a crash is one, whether or not it is off. */
    public OptionalLong powerCuts() {
        return switch (this) {
            // The crash itself is the cut that the lab makes; the fence finds the node off.
            case POWER -> OptionalLong.empty();
            case PANIC, SPLIT -> OptionalLong.of(1);
            case ETCD -> OptionalLong.of(0);
        };
    }

    /** Whether a status says how long it will take. */
    boolean isPredicted() {
        return this != ETCD;
    }

    void happenTo(Pair pair, String victim) {
        switch (this) {
            case POWER -> pair.lab().node(victim).cutPower();
            case PANIC -> pair.lab().node(victim).crash(LabRequest.CrashKind.PANIC);
            case SPLIT -> pair.lab().split(SPLIT_NETWORK);
            case ETCD -> pair.lab().node(victim).kill("etcd", "KILL");
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
