package dev.tandem.agent;

import dev.tandem.agent.status.StatusReport;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.thread.Actor;
import dev.tandem.host.etcd.EtcdProcess;
import dev.tandem.host.etcd.HangDetector;
import dev.tandem.host.etcd.SystemdEtcd;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Looks at etcd of this node, and tells the supervisor what it saw. */
final class EtcdWatch {
    private static final Duration INTERVAL = Duration.ofMillis(1500);

    /**
     * While both nodes are there and etcd serves. Whatever ends that is an event; a look is only
     * for what nobody tells, and each costs processor time on a thousand idle sites.
     */
    private static final Duration INTERVAL_WHILE_WELL = Duration.ofSeconds(3);

    private final SystemdEtcd etcd;
    private final EtcdSupervisor supervisor;
    private final StatusReport report;
    private final Actor actor;
    private final BooleanSupplier peerPresent;
    private final AtomicReference<EtcdProcess.@Nullable EtcdObservation> newest =
            new AtomicReference<>();

    /**
     * @param peerPresent whether Corosync has both nodes
     */
    EtcdWatch(
            SystemdEtcd etcd,
            EtcdSupervisor supervisor,
            StatusReport report,
            Actor actor,
            BooleanSupplier peerPresent) {
        this.etcd = etcd;
        this.supervisor = supervisor;
        this.report = report;
        this.actor = actor;
        this.peerPresent = peerPresent;
    }

    /**
     * Only the newest observation is of interest to a supervisor that was busy meanwhile. One at a
     * time: two questions that go unanswered at once are no second sign that a server hangs.
     */
    synchronized void look() {
        if (newest.getAndSet(etcd.look()) == null) {
            actor.post(() -> {
                Optional.ofNullable(newest.getAndSet(null)).ifPresent(supervisor::saw);
                report.keep();
            });
        }
    }

    Duration interval() {
        if (etcd.silent()) {
            return HangDetector.AGAIN;
        }
        return peerPresent.getAsBoolean() && etcd.serves() ? INTERVAL_WHILE_WELL : INTERVAL;
    }
}
