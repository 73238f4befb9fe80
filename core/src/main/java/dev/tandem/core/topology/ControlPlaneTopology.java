package dev.tandem.core.topology;

import java.util.Arrays;
import java.util.Optional;

/** {@code Infrastructure.status.controlPlaneTopology}: what etcd and the API servers stand on. */
public enum ControlPlaneTopology {
    /** One node; nothing is redundant. */
    SINGLE_REPLICA("SingleReplica"),
    /** Exactly two nodes kept safe by fencing. */
    DUAL_REPLICA("DualReplica"),
    /** Two or more nodes and an arbiter that completes the majority. */
    HIGHLY_AVAILABLE_ARBITER("HighlyAvailableArbiter"),
    /** Three or more equal nodes. */
    HIGHLY_AVAILABLE("HighlyAvailable"),
    /** The control plane runs outside the cluster; never the result of counting. */
    EXTERNAL("External");

    private final String apiValue;

    ControlPlaneTopology(String apiValue) {
        this.apiValue = apiValue;
    }

    /** As it stands in the API. */
    public String apiValue() {
        return apiValue;
    }

    public static Optional<ControlPlaneTopology> ofApiValue(String value) {
        return Arrays.stream(values()).filter(t -> t.apiValue.equals(value)).findFirst();
    }

    /**
     * Decided by counting alone; credentials do not enter. A single control-plane node is
     * SingleReplica whatever else there is, because etcd cannot outlive it.
     */
    public static ControlPlaneTopology of(Shape shape) {
        if (shape.controlPlanes() == 1) {
            return SINGLE_REPLICA;
        }
        if (shape.arbiters() > 0 && shape.controlPlanes() >= 2) {
            return HIGHLY_AVAILABLE_ARBITER;
        }
        return shape.controlPlanes() == 2 ? DUAL_REPLICA : HIGHLY_AVAILABLE;
    }
}
