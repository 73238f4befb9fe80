package dev.tandem.agent;

import dev.tandem.agent.kube.FenceKnowledge;
import dev.tandem.agent.kube.NodeOutNotifier;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.thread.Actor;
import dev.tandem.host.UnexpectedErrors;
import java.time.Duration;
import java.util.Optional;

/** What Kubernetes may be told, from the supervisor. */
record KubernetesSource(EtcdSupervisor supervisor, Actor actor) implements NodeOutNotifier.Source {
    private static final Duration GLANCE = Duration.ofSeconds(3);

    @Override
    public long changes() {
        return actor.changes();
    }

    @Override
    public Optional<FenceKnowledge> known() {
        try {
            return actor.call(supervisor::forKubernetes, GLANCE);
        } catch (RuntimeException e) {
            // One thread asks this for as long as the agent lives.
            UnexpectedErrors.log("what Kubernetes may be told", e);
            return Optional.empty();
        }
    }

    @Override
    public void awaitChange(long seen, Duration limit) throws InterruptedException {
        actor.awaitChange(seen, limit);
    }
}
