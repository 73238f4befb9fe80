package dev.tandem.host.health;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.host.pacemaker.cib.CibPlan;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.FurtherLevel;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What a plan leaves out that fencing could have: somebody to believe, and a second level. */
public final class FencingLevels {
    private FencingLevels() {}

    /** Warnings alone: a failure of either node is recovered all the same. */
    public static Impediments of(ClusterPlan plan) {
        return new Impediments(
                List.of(),
                plan.nodes().stream()
                        .flatMap(node ->
                                Stream.of(unverified(node), one(node), unstated(node))
                                        .flatMap(found -> found))
                        .toList());
    }

    private static Stream<Impediment> unverified(ClusterPlan.Node node) {
        return node.bmc().verification() instanceof ClusterPlan.Verification.None
                ? Stream.of(
                        warning(
                                Cause.BMC_UNVERIFIED,
                                node,
                                "the BMC of %s is not verified: whoever answers at its address gets the password, and could report Off for a node that runs"
                                        .formatted(node.name()),
                                "in bmc of %s in the plan, set certificate (and redfish+https in address, if it is plain http); then on both nodes: tandem cluster apply PLAN.yaml"
                                        .formatted(node.name())))
                : Stream.empty();
    }

    /** Stock fence_redfish speaks https only. */
    private static Stream<Impediment> one(ClusterPlan.Node node) {
        return CibPlan.devicesOf(node).size() == 1
                ? Stream.of(
                        warning(
                                Cause.ONE_FENCING_LEVEL,
                                node,
                                "%1$s has one fencing level only: its BMC is reached by plain http, so %1$s cannot be fenced while tandem-agent is down on its peer"
                                        .formatted(node.name()),
                                "use redfish+https in the plan, or add bmc.second with IPMI; then"
                                        + " on both nodes: tandem cluster apply PLAN.yaml"))
                : Stream.empty();
    }

    /** Pacemaker goes on after a fence by such a level; etcd does not. */
    private static Stream<Impediment> unstated(ClusterPlan.Node node) {
        List<FurtherLevel> levels = node.bmc().further();
        return IntStream.range(0, levels.size())
                .filter(i -> !levels.get(i).provesOff())
                .mapToObj(i ->
                        warning(
                                Cause.FURTHER_LEVEL_PROVES_NOTHING,
                                node,
                                "if %s were fenced by %s (%s), its peer would wait for a person: the plan does not say that this agent switches the power of %s and of nothing else"
                                        .formatted(
                                                node.name(),
                                                levels.get(i).agent(),
                                                CibPlan.furtherDeviceOf(node.name(), i + 1),
                                                node.name()),
                                "make sure that this agent cuts all power of %s and of nothing else, write provesOff: true beside it in the plan; then on both nodes: tandem cluster apply PLAN.yaml"
                                        .formatted(node.name())));
    }

    private static Impediment warning(
            Cause cause, ClusterPlan.Node node, String sentence, String remedy) {
        return new Impediment(
                cause, node.name(), Optional.of(node.name()), sentence, remedy, Optional.empty());
    }
}
