package dev.tandem.core.supervise;

import dev.tandem.core.BootId;

/** What this node may tell others of its peer. */
public sealed interface PeerFate {
    /** This boot of the peer has ended: a fence read Off, or a person has seen it. */
    record Off(BootId boot) implements PeerFate {}

    /** The peer's agent spoke, in this boot, and the peer is a member of the cluster. */
    record Alive(BootId boot) implements PeerFate {}

    /** Silence, a departure, a member whose agent is silent: nothing that others may rely on. */
    record Unsure() implements PeerFate {}
}
