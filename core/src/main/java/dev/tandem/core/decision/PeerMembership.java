package dev.tandem.core.decision;

import dev.tandem.core.NodeName;
import dev.tandem.core.peer.History;

/**
 * The peer's place in Corosync's membership, as this node sees it.
 *
 * @param peer the name of the other node; a single node names itself
 * @param met the peer was in the membership at least once in this boot (Corosync's wait_for_all: a
 *     node that never met its peer is not quorate, starts nothing and fences nobody)
 * @param peerPresent the peer is in the membership now
 * @param peerKnownNotAhead in this boot the peer's facts once showed a history that was not ahead
 *     of this node's ({@link History#notAhead}). It stays true: to get ahead later the peer would
 *     need this node's abdication, or this node switched off
 */
public record PeerMembership(
        NodeName peer, boolean met, boolean peerPresent, boolean peerKnownNotAhead) {
    public PeerMembership {
        if (peerPresent && !met) {
            throw new IllegalArgumentException("a peer that is present was met");
        }
    }
}
