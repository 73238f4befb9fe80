package dev.tandem.agent;

import dev.tandem.core.decision.NodeName;
import dev.tandem.host.Commands;
import dev.tandem.host.pacemaker.FenceLog;
import dev.tandem.host.pacemaker.Pacemaker;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.pacemaker.Quorum;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

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

    /**
     * The method by which a device, not a person, switched the peer off after that moment. Both
     * times are this node's own: in a pair the survivor carries out the fence itself.
     */
    Optional<String> fencedSince(Instant moment) {
        return pacemaker.status() instanceof PacemakerStatus.Known known
                ? known.fenceLog()
                        .lastSuccess(peer.value())
                        .filter(event -> !event.confirmedByHand())
                        .filter(event -> event.completed().filter(moment::isBefore).isPresent())
                        .map(FenceLog.FenceEvent::action)
                : Optional.empty();
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
