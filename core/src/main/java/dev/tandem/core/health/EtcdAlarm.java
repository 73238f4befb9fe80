package dev.tandem.core.health;

import dev.tandem.core.Runbook;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The alarms of etcd, by its own names. Under either of them it refuses writes. */
public enum EtcdAlarm {
    /** The database has reached its quota. */
    NOSPACE(Runbook.DATABASE_FULL),
    /** The databases of the members differ. */
    CORRUPT(Runbook.DATABASES_DIFFER),
    /** Never told by etcd: what a reader makes of an alarm that it does not know. */
    UNKNOWN(null);

    private final @Nullable Runbook runbook;

    EtcdAlarm(@Nullable Runbook runbook) {
        this.runbook = runbook;
    }

    public Optional<Runbook> runbook() {
        return Optional.ofNullable(runbook);
    }

    /**
     * Those that etcd tells among the errors of its status.
     *
     * @param errors in etcd's words
     */
    public static List<EtcdAlarm> namedIn(String errors) {
        return Arrays.stream(values())
                .filter(alarm -> alarm != UNKNOWN && errors.contains(alarm.name()))
                .toList();
    }
}
