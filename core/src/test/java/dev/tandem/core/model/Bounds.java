package dev.tandem.core.model;

import java.util.EnumMap;
import java.util.Map;

/**
 * How far an exploration goes, and what it looks at.
 *
 * @param startAlone the policy of a BMC-proven lone start
 * @param slowFencing fence orders may time out and still take effect later
 * @param excuses what the named assumptions exclude is not counted as a violation
 * @param rights check also that at most one node has the right to go on alone, long before harm is
 *     done
 */
// Ordinals are the model's own encoding; they live no longer than a run.
@SuppressWarnings("EnumOrdinal")
record Bounds(
        Map<Fault, Integer> faults,
        int writes,
        boolean startAlone,
        boolean slowFencing,
        boolean excuses,
        boolean rights) {
    /** Leaves room in a log for the entries of two joins. */
    static final int LONGEST_LOG = 6;

    Bounds {
        faults = Map.copyOf(faults);
        if (writes > World.WRITES) {
            throw new IllegalArgumentException("a state has no room for that");
        }
    }

    static Bounds of(int writes, Object... faultsAndCounts) {
        Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
        for (int i = 0; i < faultsAndCounts.length; i += 2) {
            faults.put((Fault) faultsAndCounts[i], (Integer) faultsAndCounts[i + 1]);
        }
        return new Bounds(faults, writes, false, true, true, true);
    }

    Bounds startingAlone() {
        return new Bounds(faults, writes, true, slowFencing, excuses, rights);
    }

    /** Shows the harm itself, and excuses nothing. */
    Bounds plain() {
        return new Bounds(faults, writes, startAlone, slowFencing, false, false);
    }

    /** A healthy pair in which nothing was written yet and each node has heard the other. */
    World start() {
        World world = new World();
        for (int node = 0; node < 2; node++) {
            World.Node me = world.nodes[node];
            me.server = World.RUNNING;
            me.met = true;
            me.present = true;
            me.member = node;
            me.peerMember = 1 - node;
        }
        world.leader = 1;
        faults.forEach((fault, count) -> world.budget[fault.ordinal()] = count);
        Model model = new Model(Judgement.PRODUCT, this);
        for (int node = 0; node < 2; node++) {
            model.apply(world, Step.code(Step.Kind.ASK, node, 0));
            model.apply(world, Step.code(Step.Kind.HEAR, node, 0));
        }
        return world;
    }
}
