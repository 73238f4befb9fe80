package dev.tandem.api;

import java.util.List;

/** Conditions of a resource or of a fencing agent: a status carries each of them. */
public enum ResourceCondition {
    /** All others hold. */
    HEALTHY("Healthy", "ResourceHealthy", "ResourceUnhealthy"),
    /** Pacemaker manages it, and it is not in maintenance. */
    IN_SERVICE("InService", "InService", "InMaintenance"),
    /** Pacemaker may start and stop it. */
    MANAGED("Managed", "Managed", "Unmanaged"),
    /** It is wanted to run. */
    ENABLED("Enabled", "Enabled", "Disabled"),
    /** Its last action did not fail. */
    OPERATIONAL("Operational", "Operational", "Failed"),
    /** It is active somewhere. */
    ACTIVE("Active", "Active", "Inactive"),
    /** It runs; etcd's may be false for moments while it recovers. */
    STARTED("Started", "Started", "Stopped"),
    /** Nothing blocks it. */
    SCHEDULABLE("Schedulable", "Schedulable", "Unschedulable");

    /** The definition needs it as a constant; a test holds it to the list above. */
    static final int COUNT = 8;

    private final String type;
    private final String reasonWhenTrue;

    // Made by List.of, which no type says.
    @SuppressWarnings("ImmutableEnumChecker")
    private final List<String> reasonsWhenFalse;

    ResourceCondition(String type, String reasonWhenTrue, String... reasonsWhenFalse) {
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
