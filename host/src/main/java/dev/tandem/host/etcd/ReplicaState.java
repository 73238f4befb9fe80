package dev.tandem.host.etcd;

import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import dev.tandem.host.etcd.wal.RaftConfiguration;
import dev.tandem.host.etcd.wal.ReplicaLog;
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
        LineageFile.Reading lineage,
        Optional<String> incomplete,
        long databaseBytes,
        long freeBytes) {

    public boolean present() {
        return !(log.verdict() instanceof ReplicaLog.Missing);
    }

    /** What the decision is made from. */
    public Replica replica() {
        if (!present()) {
            return new Replica.Missing();
        }
        if (!log.usable()) {
            return log.verdict() instanceof ReplicaLog.Incomplete
                            && lineage instanceof LineageFile.Known(Lineage known)
                    ? fact(known, MemberRole.LEARNER)
                    : new Replica.Damaged(log.verdict().words());
        }
        if (databaseBytes == 0) {
            return new Replica.Damaged("there is a log but no database");
        }
        return switch (lineage) {
            case LineageFile.Known(Lineage known) -> fact(known, role());
            case LineageFile.Absent() -> new Replica.Damaged("no lineage is stored with the data");
            case LineageFile.Unreadable(String why) -> new Replica.Damaged(why);
        };
    }

    private Replica fact(Lineage known, MemberRole role) {
        boolean votes = role != MemberRole.LEARNER && role != MemberRole.REMOVED;
        return new Replica.Intact(
                known,
                log.lastTerm(),
                log.lastIndex(),
                Math.min(log.hardState().commit(), log.lastIndex()),
                role,
                votes && incomplete.isEmpty() && log.usable(),
                log.node().bits());
    }

    private MemberRole role() {
        RaftConfiguration configuration = log.committedConfiguration();
        return switch (configuration.roleOf(log.node())) {
            case VOTER ->
                    switch (configuration.voters().size()) {
                        case 1 -> MemberRole.SOLE;
                        case 2 -> MemberRole.ONE_OF_TWO;
                        default -> MemberRole.ONE_OF_MANY;
                    };
            case LEARNER -> MemberRole.LEARNER;
            case REMOVED -> MemberRole.REMOVED;
            // A log that does not know its owner yet was begun by joining.
            case STRANGER -> MemberRole.LEARNER;
        };
    }

    /** Whether this node serves without anybody else when it is started on these data. */
    boolean votesAlone() {
        return log.usable() && role() == MemberRole.SOLE;
    }

    /** The same after a take-over was prepared, which writes a lineage and a part of the log. */
    ReplicaState takenOver(Lineage begun, ReplicaLog committed) {
        return new ReplicaState(
                committed, new LineageFile.Known(begun), incomplete, databaseBytes, freeBytes);
    }

    /** A sole voter acknowledges what it appends; of a pair nobody does beyond the commit index. */
    long acknowledged() {
        return role() == MemberRole.SOLE ? log.lastIndex() : log.hardState().commit();
    }
}
