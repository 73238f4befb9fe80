package dev.tandem.core.decision;

import java.util.List;

/**
 * A decision that was taken once, held against what this version decides in the same situation. The
 * words of a decision do not count, only the decision.
 */
public sealed interface Replay {
    /** This version decides the same. */
    record Same() implements Replay {}

    /**
     * This version decides something else.
     *
     * @param now more than one where the record leaves open which of them; the decision of then is
     *     none of them
     */
    record Differs(List<Decision> now) implements Replay {
        public Differs {
            now = List.copyOf(now);
        }
    }

    /** The record leaves open whether this version decides the same. */
    record Open() implements Replay {}

    static Replay of(Decision then, Situation situation, OwnLog log) {
        List<Decision> now = log.decisions(situation);
        if (!now.contains(then)) {
            return new Differs(now);
        }
        return now.size() == 1 ? new Same() : new Open();
    }
}
