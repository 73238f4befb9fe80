package dev.tandem.core.topology;

/** How etcd grows from the bootstrap member to the cluster, and what later changes ask for. */
public enum ScalingStrategy {
    /** Single node, or a person has asked for no safety. */
    UNSAFE(2, 0),
    /** A single node that is its own bootstrap: there never is a bootstrap member to remove. */
    BOOTSTRAP_IN_PLACE(0, 0),
    /** Three or more members, bootstrapped from a machine of its own. */
    HIGHLY_AVAILABLE(4, 3),
    /** As above, but the bootstrap machine itself becomes the last member afterwards. */
    DELAYED_HIGHLY_AVAILABLE(3, 3),
    /** A fenced pair, bootstrapped from a machine of its own. */
    TWO_NODE(3, 2),
    /** A fenced pair of which one node is first the bootstrap machine. */
    DELAYED_TWO_NODE(2, 2);

    private final int membersBeforeBootstrapRemoval;
    private final int healthyMembersForRevision;

    ScalingStrategy(int membersBeforeBootstrapRemoval, int healthyMembersForRevision) {
        this.membersBeforeBootstrapRemoval = membersBeforeBootstrapRemoval;
        this.healthyMembersForRevision = healthyMembersForRevision;
    }

    /** How the installation goes about it. */
    public record Install(boolean delayedBootstrap, boolean bootstrapInPlace, boolean unsafe) {
        /** A bootstrap machine of its own and no liberties. */
        public static final Install ORDINARY = new Install(false, false, false);

        /** One of the nodes is the bootstrap machine first (assisted and agent-based). */
        public static final Install DELAYED = new Install(true, false, false);
    }

    /** The first that fits. An arbiter counts as a member, so 2 + 1 scales like three. */
    public static ScalingStrategy of(ControlPlaneTopology topology, Install install) {
        boolean single = topology == ControlPlaneTopology.SINGLE_REPLICA;
        if (single && install.bootstrapInPlace()) {
            return BOOTSTRAP_IN_PLACE;
        }
        if (single || install.unsafe()) {
            return UNSAFE;
        }
        if (topology == ControlPlaneTopology.DUAL_REPLICA) {
            return install.delayedBootstrap() ? DELAYED_TWO_NODE : TWO_NODE;
        }
        return install.delayedBootstrap() ? DELAYED_HIGHLY_AVAILABLE : HIGHLY_AVAILABLE;
    }

    /** Members, the bootstrap one among them, that must exist before it may go. */
    public int membersBeforeBootstrapRemoval() {
        return membersBeforeBootstrapRemoval;
    }

    /** Healthy members, learners counted, without which nothing new is rolled out. */
    public int healthyMembersForRevision() {
        return healthyMembersForRevision;
    }

    public boolean isTwoNode() {
        return this == TWO_NODE || this == DELAYED_TWO_NODE;
    }

    boolean isUnchecked() {
        return this == UNSAFE || this == BOOTSTRAP_IN_PLACE;
    }
}
