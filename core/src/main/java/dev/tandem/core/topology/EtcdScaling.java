package dev.tandem.core.topology;

import java.util.List;

/**
 * Whether etcd's membership or configuration may change now.
 *
 * <p>One rule stands above the others: a change that restarts a member is made only while the
 * cluster can do without that member. A fenced pair cannot, by etcd's own arithmetic; there the
 * fence stands in for the missing third voter, and only while there are exactly two members.
 */
public final class EtcdScaling {
    /** The member that the installer starts and that must not stay. */
    public static final String BOOTSTRAP_MEMBER = "etcd-bootstrap";

    private static final int PAIR = 2;

    /** The smallest control plane that is complete without fencing. */
    private static final int FULL_CONTROL_PLANE = 3;

    private EtcdScaling() {}

    /** A member as the others see it; a learner counts as a member. */
    public record Member(String name, boolean healthy) {}

    /** How far the installation says it has come. */
    public enum InstallStatus {
        /** The record of it is absent. */
        MISSING,
        /** The record is there and cannot be understood. */
        INVALID,
        PROGRESSING,
        COMPLETE
    }

    /** The answer; the reason is shown to people word for word. */
    public sealed interface Verdict {
        String reason();

        record Allowed(String reason) implements Verdict {}

        record Held(String reason) implements Verdict {}
    }

    /** Voters that must agree. */
    public static int quorum(int members) {
        return members / 2 + 1;
    }

    /** Whether a new revision may be rolled out. One that is under way already may go on. */
    public static Verdict newRevision(
            ScalingStrategy strategy, boolean revisionStable, List<Member> members) {
        if (!revisionStable) {
            return new Verdict.Allowed("a revision is being rolled out and has to finish");
        }
        if (strategy.isUnchecked()) {
            return new Verdict.Allowed("strategy " + strategy + " asks for nothing");
        }
        int total = members.size();
        int healthy = (int) members.stream().filter(Member::healthy).count();
        int needed = strategy.healthyMembersForRevision();
        if (healthy < needed) {
            return new Verdict.Held(
                    "%d healthy of %d members; strategy %s needs %d healthy"
                            .formatted(healthy, total, strategy, needed));
        }
        if (strategy.isTwoNode() && total == PAIR) {
            return new Verdict.Allowed("both members of the pair are healthy");
        }
        int quorum = quorum(total);
        if (total - quorum < 1 || healthy - quorum < 1) {
            return new Verdict.Held(
                    "%d healthy of %d members with a quorum of %d: none can be spared"
                            .formatted(healthy, total, quorum));
        }
        return new Verdict.Allowed(
                "%d healthy of %d members, one can be spared".formatted(healthy, total));
    }

    /** Whether the bootstrap member may be removed. */
    public static Verdict bootstrapRemoval(
            ScalingStrategy strategy, List<Member> members, InstallStatus bootstrap) {
        if (members.stream().noneMatch(EtcdScaling::isBootstrap)) {
            return new Verdict.Held("there is no bootstrap member");
        }
        int needed = strategy.membersBeforeBootstrapRemoval();
        if (members.size() < needed) {
            return new Verdict.Held(
                    "%d members; strategy %s waits for %d, the bootstrap one among them"
                            .formatted(members.size(), strategy, needed));
        }
        List<String> unhealthy =
                members.stream()
                        .filter(member -> !member.healthy() && !isBootstrap(member))
                        .map(Member::name)
                        .toList();
        if (!unhealthy.isEmpty()) {
            return new Verdict.Held("unhealthy: " + String.join(", ", unhealthy));
        }
        if (bootstrap != InstallStatus.COMPLETE) {
            return new Verdict.Held("the bootstrap machine has not reported that it is done");
        }
        return new Verdict.Allowed("the cluster stands without it");
    }

    private static boolean isBootstrap(Member member) {
        return member.name().equals(BOOTSTRAP_MEMBER);
    }

    /**
     * Whether etcd may be run with this few control-plane nodes. A delayed installation is short of
     * one until its bootstrap machine has become a node; that is borne until the installation says
     * it is complete and not a moment longer.
     */
    public static Verdict memberCount(ScalingStrategy strategy, int nodes, InstallStatus install) {
        if (strategy.isUnchecked()) {
            return new Verdict.Allowed("strategy " + strategy + " asks for nothing");
        }
        int complete = strategy.isTwoNode() ? PAIR : FULL_CONTROL_PLANE;
        if (nodes >= complete) {
            return new Verdict.Allowed("%d of %d nodes are there".formatted(nodes, complete));
        }
        boolean delayed =
                strategy == ScalingStrategy.DELAYED_HIGHLY_AVAILABLE
                        || strategy == ScalingStrategy.DELAYED_TWO_NODE;
        if (!delayed) {
            return new Verdict.Held("%d of %d nodes are there".formatted(nodes, complete));
        }
        return switch (install) {
            case PROGRESSING ->
                    nodes == complete - 1
                            ? new Verdict.Allowed(
                                    "%d of %d nodes; the bootstrap machine becomes the last"
                                            .formatted(nodes, complete))
                            : new Verdict.Held(
                                    "%d of %d nodes are there".formatted(nodes, complete));
            case COMPLETE ->
                    new Verdict.Held(
                            "the installation is complete with %d of %d nodes"
                                    .formatted(nodes, complete));
            case MISSING -> new Verdict.Held("nothing tells how far the installation has come");
            case INVALID -> new Verdict.Held("what tells of the installation cannot be understood");
        };
    }

    /** Whether an API server may start with this many etcd addresses. */
    public static boolean enoughEndpoints(
            ControlPlaneTopology topology, boolean delayedBootstrap, int endpoints) {
        boolean one =
                topology == ControlPlaneTopology.SINGLE_REPLICA
                        || (topology == ControlPlaneTopology.DUAL_REPLICA && delayedBootstrap);
        return endpoints >= (one ? 1 : 2);
    }
}
