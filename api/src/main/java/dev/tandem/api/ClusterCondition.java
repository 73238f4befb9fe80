package dev.tandem.api;

/** Conditions of the cluster: a status carries each of them. */
public enum ClusterCondition implements CarriedCondition {
    /** The other two hold, and every node is healthy. */
    HEALTHY("Healthy", "ClusterHealthy", "ClusterUnhealthy"),
    /** Pacemaker manages the cluster. */
    IN_SERVICE("InService", "InService", "InMaintenance"),
    /** There are two nodes. */
    NODE_COUNT_AS_EXPECTED(
            "NodeCountAsExpected", "AsExpected", "InsufficientNodes", "ExcessiveNodes");

    /** The definition needs it as a constant; a test holds it to the list above. */
    static final int COUNT = 3;

    // Its list is a copy of its own, which no type says.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Words words;

    ClusterCondition(String type, String reasonWhenTrue, String... reasonsWhenFalse) {
        this.words = Words.of(type, reasonWhenTrue, reasonsWhenFalse);
    }

    @Override
    public Words words() {
        return words;
    }
}
