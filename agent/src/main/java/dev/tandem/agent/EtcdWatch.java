package dev.tandem.agent;

import dev.tandem.agent.supervise.EtcdOrders;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.core.supervise.Event;
import dev.tandem.host.etcd.EtcdProcess;
import dev.tandem.host.etcd.HangDetector;
import dev.tandem.host.etcd.PeerConnections;
import dev.tandem.host.etcd.SystemdEtcd;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Looks at etcd of this node, and tells the supervisor what it saw. */
final class EtcdWatch {
    private static final Duration INTERVAL = Duration.ofMillis(1500);

    /**
     * While both nodes are there and etcd serves. Whatever ends that is an event; a look is only
     * for what nobody tells, and each costs processor time on a thousand idle sites.
     */
    private static final Duration INTERVAL_WHILE_WELL = Duration.ofSeconds(3);

    /** While both nodes are there and have no leader, which may cost a second or a take-over. */
    private static final Duration INTERVAL_WHILE_LEADERLESS = Duration.ofMillis(500);

    private final SystemdEtcd etcd;
    private final EtcdSupervisor supervisor;
    private final EtcdOrders orders;
    private final PeerConnections connections;
    private final BooleanSupplier peerPresent;

    /**
     * @param peerPresent whether Corosync has both nodes
     */
    EtcdWatch(
            SystemdEtcd etcd,
            EtcdSupervisor supervisor,
            EtcdOrders orders,
            PeerConnections connections,
            BooleanSupplier peerPresent) {
        this.etcd = etcd;
        this.supervisor = supervisor;
        this.orders = orders;
        this.connections = connections;
        this.peerPresent = peerPresent;
    }

    /**
     * One at a time: two questions that go unanswered at once are no second sign that a server
     * hangs.
     */
    synchronized void look() {
        EtcdProcess.EtcdObservation seen = etcd.look();
        supervisor.post(new Event.EtcdObserved(orders.seen(seen)));
        connections.seen(seen, peerPresent.getAsBoolean());
    }

    Duration interval() {
        if (etcd.silent()) {
            return HangDetector.AGAIN;
        }
        if (connections.waiting()) {
            return INTERVAL_WHILE_LEADERLESS;
        }
        return peerPresent.getAsBoolean() && etcd.serves() ? INTERVAL_WHILE_WELL : INTERVAL;
    }
}
