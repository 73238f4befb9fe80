package dev.tandem.api;

/** Conditions of a resource or of a fencing agent: a status carries each of them. */
public enum ResourceCondition implements CarriedCondition {
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

    // Its list is a copy of its own, which no type says.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Words words;

    ResourceCondition(String type, String reasonWhenTrue, String... reasonsWhenFalse) {
        this.words = Words.of(type, reasonWhenTrue, reasonsWhenFalse);
    }

    @Override
    public Words words() {
        return words;
    }
}
