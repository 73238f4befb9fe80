package dev.tandem.agentapi;

import java.util.Arrays;
import java.util.List;

/** The alarms of etcd, by its own names. Under either of them it refuses writes. */
public enum EtcdAlarm {
    /** The database has reached its quota. */
    NOSPACE,
    /** The databases of the members differ. */
    CORRUPT;

    /**
     * Those that etcd tells among the errors of its status.
     *
     * @param errors in etcd's words
     */
    public static List<EtcdAlarm> namedIn(String errors) {
        return Arrays.stream(values()).filter(alarm -> errors.contains(alarm.name())).toList();
    }
}
