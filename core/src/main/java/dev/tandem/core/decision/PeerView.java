package dev.tandem.core.decision;

/**
 * What this node heard from its peer in its own present boot. What it heard before a reboot is
 * gone.
 */
public sealed interface PeerView {
    record Unheard() implements PeerView {}

    /** The latest facts the peer gave of itself. */
    record Heard(NodeFacts facts) implements PeerView {}

    static PeerView unheard() {
        return new Unheard();
    }
}
