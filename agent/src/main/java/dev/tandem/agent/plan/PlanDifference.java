package dev.tandem.agent.plan;

import dev.tandem.agentapi.plan.PlanUse.Changed;
import dev.tandem.agentapi.plan.PlanUse.Effect;
import dev.tandem.agentapi.plan.PlanUse.Setting;
import dev.tandem.core.IpAddress;
import dev.tandem.host.plan.ClusterPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * In which settings two plans of a pair differ, and when each of them counts for an agent that
 * runs. Corosync and Pacemaker are made as planned by {@code cluster apply} itself.
 */
final class PlanDifference {
    private static final String RESTART_ETCD =
            "put each node in standby and back, one after the other: pcs node standby NODE"
                    + " --wait=120; pcs node unstandby NODE; until tandem status; do sleep 5; done";

    private PlanDifference() {}

    static List<Changed> between(ClusterPlan inUse, ClusterPlan planned) {
        List<Changed> changed = new ArrayList<>();
        if (!inUse.name().equals(planned.name())) {
            changed.add(
                    notPossible(
                            Setting.NAME,
                            "a plan with another name is another pair's",
                            "write name: %s into the plan".formatted(inUse.name())));
        }
        if (!inUse.nodeNames().equals(planned.nodeNames())) {
            changed.add(
                    notPossible(
                            Setting.NODES,
                            "the nodes of a pair cannot be changed while it runs",
                            "name the nodes in the plan as before: "
                                    + String.join(
                                            ", ", inUse.nodeNames().stream().sorted().toList())));
            return changed;
        }
        if (!inUse.preferred().name().equals(planned.preferred().name())) {
            changed.add(now(Setting.PREFERRED_NODE));
        }
        compare(Setting.TIMING, inUse.timing(), planned.timing(), changed);
        compare(Setting.LONE_START, inUse.loneStart(), planned.loneStart(), changed);
        compare(Setting.BMC_OFF, inUse.bmcOff(), planned.bmcOff(), changed);
        compare(Setting.API, inUse.api(), planned.api(), changed);
        compare(Setting.KUBELET, inUse.kubelet(), planned.kubelet(), changed);
        etcd(inUse.etcd(), planned.etcd(), changed);
        for (ClusterPlan.Node before : inUse.nodes()) {
            node(before, planned.node(before.name()).orElseThrow(), changed);
        }
        return List.copyOf(changed);
    }

    private static void etcd(
            ClusterPlan.Etcd before, ClusterPlan.Etcd planned, List<Changed> changed) {
        if (!before.heartbeat().equals(planned.heartbeat())
                || !before.election().equals(planned.election())) {
            changed.add(
                    new Changed(
                            Setting.ETCD_TIMERS,
                            null,
                            Effect.AFTER_A_RESTART,
                            "etcd's timers are fixed for the life of its process",
                            RESTART_ETCD));
        }
        if (before.quotaMegabytes() != planned.quotaMegabytes()) {
            changed.add(
                    new Changed(
                            Setting.ETCD_QUOTA,
                            null,
                            Effect.AFTER_A_RESTART,
                            "etcd reads its quota when it starts",
                            RESTART_ETCD));
        }
        if (before.clientPort() != planned.clientPort()
                || before.peerPort() != planned.peerPort()) {
            changed.add(
                    notPossible(
                            Setting.ETCD_PORTS,
                            "etcd's member list and its clients' settings carry the ports",
                            "write the old ports into the plan: clientPort: %d, peerPort: %d"
                                    .formatted(before.clientPort(), before.peerPort())));
        }
    }

    private static void node(
            ClusterPlan.Node before, ClusterPlan.Node planned, List<Changed> changed) {
        List<IpAddress> old = before.addresses();
        int links = Math.min(old.size(), planned.addresses().size());
        if (!old.subList(0, links).equals(planned.addresses().subList(0, links))) {
            changed.add(
                    new Changed(
                            Setting.ADDRESSES,
                            before.name(),
                            Effect.NOT_POSSIBLE,
                            "certificates and etcd's member list carry the addresses",
                            "give %s its old addresses in the plan: %s"
                                    .formatted(
                                            before.name(),
                                            String.join(
                                                    ", ",
                                                    old.stream()
                                                            .map(IpAddress::toString)
                                                            .toList()))));
        } else if (!old.equals(planned.addresses())) {
            changed.add(
                    new Changed(
                            Setting.ADDRESSES,
                            before.name(),
                            Effect.AFTER_A_RESTART,
                            "the agents use these links at once; etcd listens on them once"
                                    + " tandem-agent and then etcd have been restarted",
                            "on both nodes, one after the other: systemctl restart tandem-agent;"
                                    + " then "
                                    + RESTART_ETCD));
        }
        if (!before.bmc().equals(planned.bmc())) {
            changed.add(now(Setting.BMC, before.name()));
        }
        if (!before.identity().equals(planned.identity())) {
            changed.add(now(Setting.IDENTITY, before.name()));
        }
    }

    private static void compare(
            Setting setting, Object before, Object planned, List<Changed> changed) {
        if (!Objects.equals(before, planned)) {
            changed.add(now(setting));
        }
    }

    private static Changed now(Setting setting) {
        return new Changed(setting, null, Effect.NOW, "", "");
    }

    static Changed now(Setting setting, String node) {
        return new Changed(setting, node, Effect.NOW, "", "");
    }

    private static Changed notPossible(Setting setting, String why, String remedy) {
        return new Changed(setting, null, Effect.NOT_POSSIBLE, why, remedy);
    }
}
