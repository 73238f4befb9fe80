package dev.tandem.core.peer;

import dev.tandem.core.BootId;

/**
 * What this node heard from its peer in its own present boot. What it heard before a reboot is
 * gone.
 */
public sealed interface PeerView {
    record Unknown() implements PeerView {}

    /**
     * The peer spoke, so its present boot is known, but it did not know this node's boot and told
     * nothing that counts.
     */
    record BootKnown(BootId boot) implements PeerView {}

    /** The latest facts the peer gave of itself. */
    record FactsKnown(NodeFacts facts) implements PeerView {}

    static PeerView unheard() {
        return new Unknown();
    }

    /** Whether the peer's present boot is known, and is this one. */
    default boolean isIn(BootId boot) {
        return switch (this) {
            case Unknown() -> false;
            case BootKnown(BootId known) -> known.equals(boot);
            case FactsKnown(NodeFacts facts) -> facts.boot().equals(boot);
        };
    }
}
