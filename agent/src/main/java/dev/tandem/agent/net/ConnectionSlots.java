package dev.tandem.agent.net;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * How many connections there may be at a time. Those who are expected have slots of their own, so
 * that no number of strangers, from however many addresses, keeps them out.
 *
 * @param <A> what tells callers apart
 */
public final class ConnectionSlots<A> {
    /**
     * Numbers of connections.
     *
     * @param expected of each caller that is expected
     * @param stranger of each other caller
     * @param strangers of all other callers together
     */
    public record Limits(int expected, int stranger, int strangers) {}

    /** A connection that is counted until this is closed. */
    public interface Slot extends AutoCloseable {
        @Override
        void close();
    }

    private final Predicate<A> expected;
    private final Limits limits;
    private final Map<A, Integer> open = new HashMap<>();
    private int strangers;

    /**
     * @param expected asked for each connection: who is expected may change
     */
    public ConnectionSlots(Predicate<A> expected, Limits limits) {
        this.expected = expected;
        this.limits = limits;
    }

    /** Empty where there are as many as there may be. */
    public synchronized Optional<Slot> take(A caller) {
        boolean stranger = !expected.test(caller);
        int held = open.getOrDefault(caller, 0);
        if (held >= (stranger ? limits.stranger() : limits.expected())
                || (stranger && strangers >= limits.strangers())) {
            return Optional.empty();
        }
        open.put(caller, held + 1);
        strangers += stranger ? 1 : 0;
        return Optional.of(() -> give(caller, stranger));
    }

    private synchronized void give(A caller, boolean stranger) {
        open.computeIfPresent(caller, (_, held) -> held == 1 ? null : held - 1);
        strangers -= stranger ? 1 : 0;
    }
}
