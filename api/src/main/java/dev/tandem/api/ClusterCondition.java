package dev.tandem.api;

import java.util.List;

/** Conditions of the cluster: a status carries each of them. */
public enum ClusterCondition {
    /** The other two hold, and every node is healthy. */
    HEALTHY("Healthy", "ClusterHealthy", "ClusterUnhealthy"),
    /** Pacemaker manages the cluster. */
    IN_SERVICE("InService", "InService", "InMaintenance"),
    /** There are two nodes. */
    NODE_COUNT_AS_EXPECTED(
            "NodeCountAsExpected", "AsExpected", "InsufficientNodes", "ExcessiveNodes");

    /** The definition needs it as a constant; a test holds it to the list above. */
    static final int COUNT = 3;

    private final String type;
    private final String reasonWhenTrue;

    // Made by List.of, which no type says.
    @SuppressWarnings("ImmutableEnumChecker")
    private final List<String> reasonsWhenFalse;

    ClusterCondition(String type, String reasonWhenTrue, String... reasonsWhenFalse) {
        this.type = type;
        this.reasonWhenTrue = reasonWhenTrue;
        this.reasonsWhenFalse = List.of(reasonsWhenFalse);
    }

    /** As it stands in the API. */
    public String type() {
        return type;
    }

    public String reasonWhenTrue() {
        return reasonWhenTrue;
    }

    public List<String> reasonsWhenFalse() {
        return reasonsWhenFalse;
    }
}
