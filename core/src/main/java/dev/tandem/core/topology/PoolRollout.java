package dev.tandem.core.topology;

import java.util.ArrayList;
import java.util.List;

/**
 * Which machines may be taken for an update now. Control-plane nodes and arbiters are one majority
 * and so are rolled out as one: never two of them away at once.
 */
public final class PoolRollout {
    private PoolRollout() {}

    /**
     * A machine of a pool.
     *
     * @param unavailable not ready, or on the way to its new configuration
     * @param wantsUpdate its configuration is not the one wanted
     */
    public record Machine(String name, boolean unavailable, boolean wantsUpdate) {}

    /** A pool; a paused one keeps its machines as they are. */
    public record Pool(boolean paused, int maxUnavailable, List<Machine> machines) {
        public Pool {
            machines = List.copyOf(machines);
        }

        int unavailable() {
            return (int) machines.stream().filter(Machine::unavailable).count();
        }
    }

    /**
     * How many machines of a pool may be away, from {@code spec.maxUnavailable}: absent, a number
     * or a percentage of the pool's size, rounded down. It is never below one: a zero does not
     * freeze a pool, pausing it does.
     */
    public static int maxUnavailable(String pool, String spec, int machines) {
        if (pool.equals("arbiter") || spec.isEmpty()) {
            return 1;
        }
        int wanted =
                spec.endsWith("%")
                        ? machines * Integer.parseInt(spec.substring(0, spec.length() - 1)) / 100
                        : Integer.parseInt(spec);
        return Math.max(1, wanted);
    }

    /** Machines of one pool that may be taken, in the pool's order. */
    public static List<String> next(Pool pool) {
        return pool.paused() ? List.of() : chosen(pool, pool.maxUnavailable());
    }

    /** Machines of the control-plane pool and of the arbiter pool that may be taken together. */
    public static List<String> next(Pool masters, Pool arbiters) {
        boolean arbiterAway = arbiters.unavailable() > 0;
        List<String> next =
                new ArrayList<>(
                        masters.paused() || arbiterAway
                                ? List.of()
                                : chosen(masters, masters.maxUnavailable()));
        if (next.isEmpty() && masters.unavailable() == 0 && !arbiters.paused()) {
            next.addAll(chosen(arbiters, 1));
        }
        return next;
    }

    private static List<String> chosen(Pool pool, int maxUnavailable) {
        int capacity = Math.max(0, maxUnavailable - pool.unavailable());
        return pool.machines().stream()
                .filter(machine -> machine.wantsUpdate() && !machine.unavailable())
                .limit(capacity)
                .map(Machine::name)
                .toList();
    }
}
