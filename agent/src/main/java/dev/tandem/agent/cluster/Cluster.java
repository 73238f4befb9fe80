package dev.tandem.agent.cluster;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.core.NodeName;
import dev.tandem.core.supervise.Membership;
import dev.tandem.host.Commands;
import dev.tandem.host.pacemaker.Pacemaker;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.pacemaker.Quorum;
import java.time.Duration;
import java.util.List;

/** Corosync and Pacemaker on this node, as far as recovery asks them. */
public final class Cluster {
    private static final Duration CMAP_LIMIT = Duration.ofSeconds(10);

    private final Commands commands;
    private final Pacemaker pacemaker;
    private final NodeName peer;
    private final BootTimestamps moments;
    private boolean missed = true;

    public Cluster(Commands commands, NodeName peer, BootTimestamps moments) {
        this.commands = commands;
        this.moments = moments;
        this.pacemaker = new Pacemaker(commands);
        this.peer = peer;
    }

    /**
     * Who is in the membership. A peer that is back after it was missing is alive, and that is
     * noted before the supervisor learns of it. A peer that was never missing proves nothing:
     * Corosync takes a moment to notice that a node was switched off.
     */
    public Membership presence() {
        if (!(Quorum.read(commands) instanceof Quorum.Known known)) {
            return Membership.UNKNOWN;
        }
        boolean there = known.has(peer.value());
        synchronized (this) {
            if (there && missed) {
                moments.note(BootTimestamps.Event.PEER_HEARD);
            }
            missed = !there;
        }
        return new Membership(true, there, known.quorate(), known.waitsForAll());
    }

    public PacemakerStatus status() {
        return pacemaker.status();
    }

    /** Tells the cluster what a person has stated: the peer is off, do not wait for it. */
    public void peerIsOff(Membership presence) {
        if (presence.known() && presence.waitsForAll()) {
            commands.run(
                    CMAP_LIMIT,
                    List.of("corosync-cmapctl", "-s", "quorum.cancel_wait_for_all", "u8", "1"));
        }
        pacemaker.confirmFenced(peer.value());
    }
}
