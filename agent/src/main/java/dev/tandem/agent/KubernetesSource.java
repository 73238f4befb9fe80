package dev.tandem.agent;

import dev.tandem.agent.kube.OutOfServiceNotifier;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.thread.Actor;
import dev.tandem.core.supervise.KubernetesReport;
import java.time.Duration;
import java.util.Optional;

/** What Kubernetes may be told, from the supervisor. */
record KubernetesSource(EtcdSupervisor supervisor, Actor actor)
        implements OutOfServiceNotifier.Source {
    @Override
    public long changes() {
        return actor.changes();
    }

    @Override
    public Optional<KubernetesReport> known() {
        return Optional.of(supervisor.view().forKubernetes());
    }

    @Override
    public void awaitChange(long seen, Duration limit) throws InterruptedException {
        actor.awaitChange(seen, limit);
    }
}
