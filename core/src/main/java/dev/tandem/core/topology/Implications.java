package dev.tandem.core.topology;

import java.util.ArrayList;
import java.util.List;

/**
 * What follows from a shape for everything that counts replicas.
 *
 * @param etcdMembers voters of a healthy cluster
 * @param minimumApiServers how many kube-apiservers the login service waits for before it calls
 *     itself ready
 * @param guardMinAvailable {@code minAvailable} of the disruption budget over the etcd guards; 0
 *     means that there is none
 * @param pools machine config pools, in the order they are rolled out
 * @param poolMaxUnavailable how many machines of a pool may be away for an update
 * @param routers replicas of the ingress router
 * @param consoles replicas of the console
 * @param mastersSchedulable whether control-plane nodes also carry workloads
 * @param defragmentation whether etcd members are defragmented one after the other
 * @param fencing whether Pacemaker and a fence device per node decide over etcd
 */
public record Implications(
        ControlPlaneTopology controlPlane,
        InfrastructureTopology infrastructure,
        int etcdMembers,
        int minimumApiServers,
        int guardMinAvailable,
        List<String> pools,
        int poolMaxUnavailable,
        int routers,
        int consoles,
        boolean mastersSchedulable,
        boolean defragmentation,
        boolean fencing) {

    public Implications {
        pools = List.copyOf(pools);
    }

    public static Implications of(Shape shape) {
        ControlPlaneTopology controlPlane = shape.controlPlaneTopology();
        InfrastructureTopology infrastructure = shape.infrastructureTopology();
        boolean single = controlPlane == ControlPlaneTopology.SINGLE_REPLICA;
        List<String> pools = new ArrayList<>(List.of("master"));
        if (shape.hasArbiter()) {
            pools.add("arbiter");
        }
        pools.add("worker");
        return new Implications(
                controlPlane,
                infrastructure,
                single ? 1 : shape.etcdMembers(),
                minimumApiServers(controlPlane),
                single ? 0 : shape.etcdMembers() - 1,
                pools,
                1,
                infrastructure == InfrastructureTopology.SINGLE_REPLICA ? 1 : 2,
                single ? 1 : 2,
                shape.workers() == 0,
                !single,
                shape.isFencedPair());
    }

    /** With two API servers a wait for the third would never end. */
    public static int minimumApiServers(ControlPlaneTopology topology) {
        return switch (topology) {
            case SINGLE_REPLICA -> 1;
            case DUAL_REPLICA, HIGHLY_AVAILABLE_ARBITER -> 2;
            case HIGHLY_AVAILABLE, EXTERNAL -> 3;
        };
    }
}
