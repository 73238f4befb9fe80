package dev.tandem.agent.bmc;

import dev.tandem.agent.cluster.Cluster;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import java.time.Duration;
import java.util.Optional;

/** Keeps the sessions of the BMCs warm, and tells the supervisor what the peer's reads. */
public final class BmcWatch {
    /**
     * The peer's BMC is what a recovery depends on, and a person on either node is to read within
     * 15 s that it cannot be reached: this, the limit of a request and the next peer message.
     */
    private static final Duration USUAL = Duration.ofSeconds(7);

    /**
     * Of this node's own BMC only the session is kept: sessions and connections end after 30 s of
     * idleness, and slow BMCs have enough to do with two nodes that ask. What keeps the peer from
     * using it the peer finds as soon.
     */
    private static final int OWN_EVERY = 2;

    /** IPMI keeps nothing between two requests; what is read of one's own serves no fence. */
    private static final int OWN_SECOND_EVERY = 4;

    /** While somebody may wait for the peer to be held off. */
    private static final Duration CLOSER = Duration.ofSeconds(5);

    private final NodeName peer;
    private final BmcSessions bmcs;
    private final Cluster cluster;
    private final EtcdSupervisor supervisor;
    private int round;
    private Optional<Thread> rights = Optional.empty();
    private Optional<Thread> asksSecond = Optional.empty();

    public BmcWatch(NodeName peer, BmcSessions bmcs, Cluster cluster, EtcdSupervisor supervisor) {
        this.peer = peer;
        this.bmcs = bmcs;
        this.cluster = cluster;
        this.supervisor = supervisor;
    }

    public Duration interval() {
        return supervisor.view().peerMayBeHeldOff() ? CLOSER : USUAL;
    }

    public void look() {
        boolean own = round % OWN_EVERY == 0;
        boolean ownSecond = round % OWN_SECOND_EVERY == 0;
        round++;
        bmcs.check(peer.value());
        Optional.ofNullable(bmcs.checks().get(peer.value())).ifPresent(this::judge);
        if (own) {
            bmcs.checkAllBut(peer.value());
        }
        bmcs.second().ifPresent(second -> askSecond(second, ownSecond));
        askRights();
    }

    /**
     * Beside the looks: a slow BMC with many accounts takes a minute for that. Not while the peer
     * is gone, when a fence may be under way.
     */
    private void askRights() {
        if (supervisor.view().membership().peerPresent()
                && rights.filter(Thread::isAlive).isEmpty()) {
            rights =
                    Optional.of(
                            Thread.ofVirtual()
                                    .name("bmc-rights")
                                    .start(() -> {
                                        bmcs.askRightsIfDue();
                                        bmcs.tryPasswordIfDue();
                                    }));
        }
    }

    /** Beside the looks at the first: what does not answer must not make those late. */
    private void askSecond(BmcSessions second, boolean own) {
        if (asksSecond.filter(Thread::isAlive).isEmpty()) {
            asksSecond =
                    Optional.of(
                            Thread.ofVirtual()
                                    .name("bmc-second")
                                    .start(() -> {
                                        lookAtSecond(second);
                                        if (own) {
                                            second.checkAllBut(peer.value());
                                        }
                                    }));
        }
    }

    private void lookAtSecond(BmcSessions second) {
        second.check(peer.value());
        bmcs.noteWhetherSecondTells();
        Optional.ofNullable(second.checks().get(peer.value()))
                .map(BmcSessions.Check::reading)
                .ifPresent(reading -> {
                    Optional<Cluster.Reading> presence = presenceIfOff(reading);
                    supervisor.post(() -> new Event.SecondPowerRead(reading, membership(presence)));
                });
    }

    private void judge(BmcSessions.Check check) {
        Optional<Cluster.Reading> presence = presenceIfOff(check.reading());
        supervisor.post(() ->
                new Event.PeerPowerRead(
                        check.reading(), check.isTheNodes(), membership(presence), check.at()));
    }

    /** Whether the peer is there is asked only where it matters, and then now. */
    private Optional<Cluster.Reading> presenceIfOff(PowerReading reading) {
        return reading == PowerReading.OFF ? Optional.of(cluster.presence()) : Optional.empty();
    }

    private Membership membership(Optional<Cluster.Reading> presence) {
        return presence.map(cluster::unlessOvertaken).orElse(Membership.UNKNOWN);
    }
}
