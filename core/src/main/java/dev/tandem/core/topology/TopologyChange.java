package dev.tandem.core.topology;

import java.util.Optional;

/**
 * Whether somebody may ask for another topology in {@code Infrastructure.spec}. Both two-node
 * shapes are fixed at birth: their etcd is built differently, not merely larger or smaller.
 */
public final class TopologyChange {
    private TopologyChange() {}

    /** Empty when it may be asked for, otherwise why not. */
    public static Optional<String> objection(
            ControlPlaneTopology status,
            Optional<ControlPlaneTopology> before,
            Optional<ControlPlaneTopology> asked) {
        if (asked.isEmpty()) {
            return Optional.empty();
        }
        ControlPlaneTopology wanted = asked.get();
        boolean expressible =
                wanted == ControlPlaneTopology.SINGLE_REPLICA
                        || wanted == ControlPlaneTopology.HIGHLY_AVAILABLE;
        if (!expressible) {
            return Optional.of(
                    wanted.apiValue()
                            + " cannot be asked for; SingleReplica and HighlyAvailable can");
        }
        boolean growth =
                status == ControlPlaneTopology.SINGLE_REPLICA
                        && wanted == ControlPlaneTopology.HIGHLY_AVAILABLE;
        if (wanted == status || growth || before.equals(asked)) {
            return Optional.empty();
        }
        return Optional.of(
                "the topology is %s; it can stay, or grow from SingleReplica to HighlyAvailable"
                        .formatted(status.apiValue()));
    }
}
