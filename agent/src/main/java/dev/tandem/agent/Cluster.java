package dev.tandem.agent;

import dev.tandem.core.decision.NodeName;
import dev.tandem.host.Commands;
import dev.tandem.host.pacemaker.Pacemaker;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.pacemaker.Quorum;
import java.time.Duration;
import java.util.List;

/** Corosync and Pacemaker on this node, as far as recovery asks them. */
final class Cluster {
    private static final Duration CHANGE = Duration.ofSeconds(10);

    private final Commands commands;
    private final Pacemaker pacemaker;
    private final NodeName peer;

    Cluster(Commands commands, NodeName peer) {
        this.commands = commands;
        this.pacemaker = new Pacemaker(commands);
        this.peer = peer;
    }

    Keeper.Presence presence() {
        return Quorum.read(commands) instanceof Quorum.Known known
                ? new Keeper.Presence(
                        true, known.has(peer.value()), known.quorate(), known.waitsForAll())
                : Keeper.Presence.UNKNOWN;
    }

    PacemakerStatus status() {
        return pacemaker.status();
    }

    /** Tells the cluster what a person has stated: the peer is off, do not wait for it. */
    void peerIsOff(Keeper.Presence presence) {
        if (presence.known() && presence.waitsForAll()) {
            commands.run(
                    CHANGE,
                    List.of("corosync-cmapctl", "-s", "quorum.cancel_wait_for_all", "u8", "1"));
        }
        pacemaker.confirmFenced(peer.value());
    }
}
