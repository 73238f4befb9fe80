package dev.tandem.core.link;

import dev.tandem.core.BootId;
import dev.tandem.core.supervise.Moment;
import java.util.Optional;

/**
 * Whether the peer was lost, as the next boot of this node is to know it.
 *
 * <p>A peer that is back in the boot in which it was lost was cut off, and may be again; it may
 * have ordered a fence of this node that has not been carried out yet. So the mark stays until the
 * peer has been present for a while. A peer that is back in another boot had failed itself.
 *
 * @param met in this boot; a node that has not met its peer yet knows no more than the boot before
 *     it
 * @param marked the mark lies on the disk
 * @param presentSince since when the peer is back
 * @param lostBoot the boot in which the peer was lost, where that is known
 */
public record PeerLoss(
        boolean met, boolean marked, Optional<Moment> presentSince, Optional<BootId> lostBoot) {

    /** What is to be done about the mark on the disk. */
    public enum Mark {
        LEAVE,
        /** With the name of this boot. */
        SET,
        CLEAR
    }

    /** What is known from now on, and what follows for the disk. */
    public record Seen(PeerLoss after, Mark mark) {}

    /** At the start of an agent. */
    public static PeerLoss of(boolean marked) {
        return new PeerLoss(false, marked, Optional.empty(), Optional.empty());
    }

    /**
     * Corosync has the peer in the membership, or has not.
     *
     * @param peerBoot the peer's boot, as last heard
     */
    public Seen seen(boolean present, Optional<BootId> peerBoot, Moment now) {
        if (!present) {
            return met && !marked
                    ? new Seen(new PeerLoss(true, true, Optional.empty(), peerBoot), Mark.SET)
                    : new Seen(new PeerLoss(met, marked, Optional.empty(), lostBoot), Mark.LEAVE);
        }
        if (!marked) {
            return new Seen(new PeerLoss(true, false, presentSince, lostBoot), Mark.LEAVE);
        }
        boolean rebooted =
                lostBoot.isPresent() && peerBoot.isPresent() && !lostBoot.equals(peerBoot);
        boolean stays =
                now.since(presentSince.orElse(now)).compareTo(LinkStability.STABLE_FOR) >= 0;
        if (rebooted || stays) {
            return new Seen(new PeerLoss(true, false, presentSince, lostBoot), Mark.CLEAR);
        }
        // The mark of an earlier boot is this boot's from now on: an agent that is restarted beside
        // a running Corosync has nothing to wait for.
        return presentSince.isPresent()
                ? new Seen(new PeerLoss(true, true, presentSince, lostBoot), Mark.LEAVE)
                : new Seen(new PeerLoss(true, true, Optional.of(now), lostBoot), Mark.SET);
    }
}
