package dev.tandem.agent.bmc;

import dev.tandem.agent.cluster.Cluster;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import java.time.Duration;

/** Keeps the sessions of the BMCs warm, and tells the supervisor what the peer's reads. */
public final class BmcWatch {
    /** Sessions and connections to a BMC end after 30 s of idleness. */
    private static final Duration USUAL = Duration.ofSeconds(15);

    /** While somebody may wait for the peer to be held off. */
    private static final Duration CLOSER = Duration.ofSeconds(5);

    private static final int IDENTITY_EVERY = 20;

    private final NodeName peer;
    private final BmcSessions bmcs;
    private final Cluster cluster;
    private final EtcdSupervisor supervisor;
    private int round;

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
        bmcs.check(round++ % IDENTITY_EVERY == 0);
        BmcSessions.Check check = bmcs.checks().get(peer.value());
        if (check == null) {
            return;
        }
        // Whether the peer is there is asked only where it matters, and then now.
        Membership membership =
                check.reading() == PowerReading.OFF ? cluster.presence() : Membership.UNKNOWN;
        supervisor.post(
                new Event.PeerPowerRead(
                        check.reading(), check.isTheNodes(), membership, check.at()));
    }
}
