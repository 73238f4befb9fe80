package dev.tandem.install.openshift;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.ObjectMeta;

/** The machines that share their configuration. */
public record MachineConfigPool(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {

    public MachineConfigPool(ObjectMeta metadata, Spec spec) {
        this("machineconfiguration.openshift.io/v1", "MachineConfigPool", metadata, spec);
    }

    public record Spec(
            LabelSelector machineConfigSelector,
            int maxUnavailable,
            LabelSelector nodeSelector,
            boolean paused) {}
}
