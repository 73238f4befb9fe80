package dev.tandem.core.supervise;

/**
 * Membership as Corosync tells it.
 *
 * @param known Corosync answered; its silence says nothing about the peer
 * @param waitsForAll this node has not met its peer since it booted, and is not quorate until it
 *     has
 */
public record Membership(boolean known, boolean peerPresent, boolean quorate, boolean waitsForAll) {
    public static final Membership UNKNOWN = new Membership(false, false, false, false);
}
