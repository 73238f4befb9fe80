package dev.tandem.agent.bmc;

import dev.tandem.agent.cluster.Cluster;
import dev.tandem.agent.state.BmcCredibility;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.thread.Actor;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.PowerReading;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Keeps the sessions of the BMCs warm, and tells the supervisor what the peer's reads. */
public final class BmcWatch {
    /**
     * The peer's BMC is what a recovery depends on, and a person on either node is to read within
     * 15 s that it cannot be reached: this, the limit of a request and the next peer message.
     */
    private static final Duration USUAL = Duration.ofSeconds(7);

    /**
     * Of this node's own BMC only the session is kept: sessions and connections end after 30 s of
     * idleness, and slow BMCs have enough to do with two nodes that ask.
     */
    private static final int OWN_EVERY = 2;

    /** While somebody may wait for the peer to be off for {@link HeldOff#LONG_ENOUGH}. */
    private static final Duration CLOSER = Duration.ofSeconds(5);

    private final NodeName peer;
    private final BmcSessions bmcs;
    private final Cluster cluster;
    private final EtcdSupervisor supervisor;
    private final Actor actor;
    private final HeldOff heldOff;
    private final BmcCredibility offWhileAlive;
    private int round;

    public BmcWatch(
            NodeName peer,
            BmcSessions bmcs,
            Cluster cluster,
            EtcdSupervisor supervisor,
            Actor actor,
            BmcCredibility offWhileAlive,
            LongSupplier nanos) {
        this.peer = peer;
        this.bmcs = bmcs;
        this.cluster = cluster;
        this.supervisor = supervisor;
        this.actor = actor;
        this.offWhileAlive = offWhileAlive;
        this.heldOff = new HeldOff(nanos);
    }

    public Duration interval() {
        return heldOff.begun() ? CLOSER : USUAL;
    }

    public void look() {
        boolean own = round % OWN_EVERY == 0;
        round++;
        bmcs.check(peer.value());
        Optional.ofNullable(bmcs.checks().get(peer.value())).ifPresent(this::judge);
        if (own) {
            bmcs.checkAllBut(peer.value());
        }
    }

    private void judge(BmcSessions.Check check) {
        offWhileAlive.read(check.reading(), this::peerIsThere);
        boolean held = heldOff.read(check.reading(), check.isTheNodes() && !offWhileAlive.found());
        actor.post(() -> supervisor.peerPower(check.reading(), held));
        if (held) {
            startAlone();
        }
    }

    private boolean peerIsThere() {
        EtcdSupervisor.Presence presence = cluster.presence();
        return presence.known() && presence.peerPresent();
    }

    /**
     * Pacemaker starts nothing on a node that has not met its peer. Where the plan lets this node
     * start, it is told what a person would state otherwise: the peer is off, do not wait for it.
     */
    private void startAlone() {
        EtcdSupervisor.Presence presence = cluster.presence();
        Optional<Boolean> may =
                actor.call(
                        () -> {
                            supervisor.membership(presence);
                            return supervisor.mayStartAlone();
                        },
                        CLOSER);
        if (may.orElse(false) && presence.waitsForAll()) {
            cluster.peerIsOff(presence);
        }
    }

    /** Reads Off again and again, without anything else between, from the peer's own BMC. */
    static final class HeldOff {
        /** Longer than a machine takes from a reset, which may read Off for a moment, to On. */
        static final Duration LONG_ENOUGH = Duration.ofSeconds(30);

        private final LongSupplier nanos;
        private long since;

        HeldOff(LongSupplier nanos) {
            this.nanos = nanos;
        }

        boolean begun() {
            return since != 0;
        }

        /** Takes a reading in; true if the peer has been off long enough. */
        boolean read(PowerReading reading, boolean fromTheRightBmc) {
            if (reading != PowerReading.OFF || !fromTheRightBmc) {
                since = 0;
                return false;
            }
            long now = nanos.getAsLong();
            if (since == 0) {
                since = now;
            }
            return now - since >= LONG_ENOUGH.toNanos();
        }
    }
}
