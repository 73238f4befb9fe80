package dev.tandem.host.etcd;

import java.util.Optional;

/**
 * A replica as its own directory shows it.
 *
 * @param log what its log says; with a verdict of {@link ReplicaLog.Missing} there is no replica
 * @param incomplete why this replica must not begin or continue a history alone, if it must not
 * @param databaseBytes the size of the database file, 0 if there is none
 * @param freeBytes what the file system has left
 */
public record ReplicaState(
        ReplicaLog log,
        StoredLineage.Reading lineage,
        Optional<String> incomplete,
        long databaseBytes,
        long freeBytes) {

    public boolean present() {
        return !(log.verdict() instanceof ReplicaLog.Missing);
    }

    /** A sole voter acknowledges what it appends; of a pair nobody does beyond the commit index. */
    long acknowledged() {
        return log.committedConfiguration().voters().size() == 1
                ? log.lastIndex()
                : log.hardState().commit();
    }
}
