package dev.tandem.core.replica;

/**
 * A take-over that was decided and written down, but whose forced start has not served yet. The new
 * epoch stands in the lineage from the same moment, so the peer sees it in the facts at once.
 */
public sealed interface Claim {
    record None() implements Claim {}

    record TakeOver(Epoch epoch) implements Claim {}

    static Claim none() {
        return new None();
    }
}
