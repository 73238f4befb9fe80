package dev.tandem.core.health;

import dev.tandem.core.Runbook;

/** The alarms of etcd, by the names that etcd gives them. */
public enum EtcdAlarm {
    NOSPACE(Runbook.DATABASE_FULL),
    CORRUPT(Runbook.DATABASES_DIFFER);

    private final Runbook runbook;

    EtcdAlarm(Runbook runbook) {
        this.runbook = runbook;
    }

    public Runbook runbook() {
        return runbook;
    }
}
