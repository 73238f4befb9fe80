package dev.tandem.api;

/** Conditions of a node: a status carries each of them. */
public enum NodeCondition implements CarriedCondition {
    /** All others hold, and every resource of the node is healthy. */
    HEALTHY("Healthy", "NodeHealthy", "NodeUnhealthy"),
    /** The node takes part. */
    ONLINE("Online", "Online", "Offline"),
    /** Pacemaker manages the node. */
    IN_SERVICE("InService", "InService", "InMaintenance"),
    /** The node may run resources. */
    ACTIVE("Active", "Active", "Standby"),
    /** The node is neither joining nor leaving. */
    READY("Ready", "Ready", "Pending"),
    /** Pacemaker knows the state of the node; if not, it fences it. */
    CLEAN("Clean", "Clean", "Unclean"),
    /** The node is in Corosync's membership. */
    MEMBER("Member", "Member", "NotMember"),
    /** At least one device can switch the node off; without it there is no take-over. */
    FENCING_AVAILABLE("FencingAvailable", "FencingAvailable", "FencingUnavailable"),
    /** Every device can switch the node off. */
    FENCING_HEALTHY("FencingHealthy", "FencingHealthy", "FencingUnhealthy");

    /** The definition needs it as a constant; a test holds it to the list above. */
    static final int COUNT = 9;

    // Its list is a copy of its own, which no type says.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Words words;

    NodeCondition(String type, String reasonWhenTrue, String... reasonsWhenFalse) {
        this.words = Words.of(type, reasonWhenTrue, reasonsWhenFalse);
    }

    @Override
    public Words words() {
        return words;
    }
}
