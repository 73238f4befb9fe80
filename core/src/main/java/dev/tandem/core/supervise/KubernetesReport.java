package dev.tandem.core.supervise;

import dev.tandem.core.BootId;

/**
 * All that decides what the API is told.
 *
 * @param etcdServes without it the API server can do nothing, and is not asked
 * @param ownBoot the boot this node is in
 */
public record KubernetesReport(boolean etcdServes, BootId ownBoot, PeerState peer) {

    /** What this node may tell others of its peer. */
    public sealed interface PeerState {
        /** This boot of the peer has ended: a fence read Off, or a person has seen it. */
        record Off(BootId boot) implements PeerState {}

        /** The peer's agent spoke, in this boot, and the peer is a member of the cluster. */
        record Alive(BootId boot) implements PeerState {}

        /**
         * Silence, a departure, a member whose agent is silent: nothing that others may rely on.
         */
        record Unsure() implements PeerState {}
    }
}
