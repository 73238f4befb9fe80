package dev.tandem.agent.cluster;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.core.NodeName;
import dev.tandem.host.Commands;
import dev.tandem.host.pacemaker.Pacemaker;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.pacemaker.Quorum;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/** Corosync and Pacemaker on this node, as far as recovery asks them. */
public final class Cluster {
    private static final Duration CMAP_LIMIT = Duration.ofSeconds(10);

    private final Commands commands;
    private final Pacemaker pacemaker;
    private final NodeName peer;
    private final BootTimestamps moments;
    private final LongSupplier nanos;
    private boolean missed = true;
    private long newest;

    public Cluster(Commands commands, NodeName peer, BootTimestamps moments, LongSupplier nanos) {
        this.commands = commands;
        this.moments = moments;
        this.nanos = nanos;
        this.newest = nanos.getAsLong();
        this.pacemaker = new Pacemaker(commands);
        this.peer = peer;
    }

    /**
     * Who is in the membership. A peer that is back after it was missing is alive, and that is
     * noted before the supervisor learns of it. A peer that was never missing proves nothing:
     * Corosync takes a moment to notice that a node was switched off. Several threads ask; an
     * answer that was overtaken by a younger one is no sign of life.
     */
    public EtcdSupervisor.Presence presence() {
        long asked = nanos.getAsLong();
        if (!(Quorum.read(commands) instanceof Quorum.Known known)) {
            return EtcdSupervisor.Presence.unknown(asked);
        }
        boolean there = known.has(peer.value());
        synchronized (this) {
            if (asked - newest >= 0) {
                newest = asked;
                if (there && missed) {
                    moments.note(BootTimestamps.Event.PEER_HEARD);
                }
                missed = !there;
            }
        }
        return new EtcdSupervisor.Presence(
                true, there, known.quorate(), known.waitsForAll(), asked);
    }

    public PacemakerStatus status() {
        return pacemaker.status();
    }

    /** Tells the cluster what a person has stated: the peer is off, do not wait for it. */
    public void peerIsOff(EtcdSupervisor.Presence presence) {
        if (presence.known() && presence.waitsForAll()) {
            commands.run(
                    CMAP_LIMIT,
                    List.of("corosync-cmapctl", "-s", "quorum.cancel_wait_for_all", "u8", "1"));
        }
        pacemaker.confirmFenced(peer.value());
    }
}
