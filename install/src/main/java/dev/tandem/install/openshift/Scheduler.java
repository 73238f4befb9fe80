package dev.tandem.install.openshift;

import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.ObjectMeta;

/** Whether control-plane nodes carry workloads. */
public record Scheduler(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {

    public Scheduler(ObjectMeta metadata, Spec spec) {
        this("config.openshift.io/v1", "Scheduler", metadata, spec);
    }

    public record Spec(boolean mastersSchedulable, LocalObjectReference policy) {}
}
