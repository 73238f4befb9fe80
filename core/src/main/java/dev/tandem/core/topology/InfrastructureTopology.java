package dev.tandem.core.topology;

/** {@code Infrastructure.status.infrastructureTopology}: what ordinary workloads stand on. */
public enum InfrastructureTopology {
    SINGLE_REPLICA("SingleReplica"),
    HIGHLY_AVAILABLE("HighlyAvailable");

    private final String apiValue;

    InfrastructureTopology(String apiValue) {
        this.apiValue = apiValue;
    }

    /** As it stands in the API. */
    public String apiValue() {
        return apiValue;
    }

    /**
     * Without workers the control plane carries the workloads, and two nodes are enough to call
     * them available; the API has no two-node value here.
     */
    public static InfrastructureTopology of(Shape shape) {
        return switch (shape.workers()) {
            case 0 ->
                    ControlPlaneTopology.of(shape) == ControlPlaneTopology.SINGLE_REPLICA
                            ? SINGLE_REPLICA
                            : HIGHLY_AVAILABLE;
            case 1 -> SINGLE_REPLICA;
            default -> HIGHLY_AVAILABLE;
        };
    }
}
