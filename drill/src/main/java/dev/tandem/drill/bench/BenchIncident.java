package dev.tandem.drill.bench;

import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import java.util.Locale;
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

    private final long median;
    private final long nearlyAll;

    BenchIncident(long median, long nearlyAll) {
        this.median = median;
        this.nearlyAll = nearlyAll;
    }

    /** Milliseconds to the first acknowledged write that half of the runs may take at most. */
    long medianObjective() {
        return median;
    }

    /** Milliseconds to the first acknowledged write for 99 of 100 runs. */
    long nearlyAllObjective() {
        return nearlyAll;
    }

    /** The same for the first write that the API accepts at its address. */
    long apiMedianObjective() {
        return median + 1_000;
    }

    long apiNearlyAllObjective() {
        return nearlyAll + 2_000;
    }

    /** How many nodes are switched off by a fence; a crash is one, whether or not it is off. */
    public OptionalLong powerCuts() {
        return switch (this) {
            // The crash itself is the cut that the lab makes; the fence finds the node off.
            case POWER -> OptionalLong.empty();
            case PANIC, SPLIT -> OptionalLong.of(1);
            case ETCD -> OptionalLong.of(0);
        };
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
