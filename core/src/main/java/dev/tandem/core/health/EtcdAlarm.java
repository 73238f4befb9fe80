package dev.tandem.core.health;

import dev.tandem.core.Runbook;
import java.util.Arrays;
import java.util.List;

/** The alarms of etcd, by its own names. Under either of them it refuses writes. */
public enum EtcdAlarm {
    /** The database has reached its quota. */
    NOSPACE(Runbook.DATABASE_FULL),
    /** The databases of the members differ. */
    CORRUPT(Runbook.DATABASES_DIFFER);

    private final Runbook runbook;

    EtcdAlarm(Runbook runbook) {
        this.runbook = runbook;
    }

    public Runbook runbook() {
        return runbook;
    }

    /**
     * Those that etcd tells among the errors of its status.
     *
     * @param errors in etcd's words
     */
    public static List<EtcdAlarm> namedIn(String errors) {
        return Arrays.stream(values()).filter(alarm -> errors.contains(alarm.name())).toList();
    }
}
