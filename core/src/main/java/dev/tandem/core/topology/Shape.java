package dev.tandem.core.topology;

/** How many machines of each kind a cluster is made of. */
public record Shape(int controlPlanes, int arbiters, int workers) {

    public Shape {
        if (controlPlanes < 0 || arbiters < 0 || workers < 0) {
            throw new IllegalArgumentException("a cluster has no negative number of machines");
        }
    }

    /** Machines that hold a replica of etcd: an arbiter is a full member. */
    public int etcdMembers() {
        return controlPlanes + arbiters;
    }

    public ControlPlaneTopology controlPlaneTopology() {
        return ControlPlaneTopology.of(this);
    }

    public InfrastructureTopology infrastructureTopology() {
        return InfrastructureTopology.of(this);
    }

    public boolean isFencedPair() {
        return controlPlaneTopology() == ControlPlaneTopology.DUAL_REPLICA;
    }

    public boolean hasArbiter() {
        return controlPlaneTopology() == ControlPlaneTopology.HIGHLY_AVAILABLE_ARBITER;
    }
}
