package dev.tandem.host.etcd.wal;

import dev.tandem.host.etcd.api.EtcdId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What the write-ahead log of one replica says, read from beginning to end and checked. With a
 * verdict other than {@link Complete} or {@link TornTail} the figures are those up to the place
 * where reading stopped: good for a report, not for a decision.
 *
 * @param cluster the cluster's id; a forced restart keeps it, so it cannot tell two lineages apart
 * @param node this member's own id
 * @param firstIndex the first entry still in the log, 0 if it holds none
 * @param lastIndex the last entry, or the index of the snapshot if no entry follows it
 * @param lastTerm the term of the last entry
 * @param snapshot the snapshot etcd would start from
 * @param confChanges the changes of membership after that snapshot, committed or not
 * @param end the place after the last good record, where the next one goes
 * @param bytes the size of all segments together
 */
public record ReplicaLog(
        EtcdId cluster,
        EtcdId node,
        long firstIndex,
        long lastIndex,
        long lastTerm,
        HardState hardState,
        Optional<SnapshotPoint> snapshot,
        List<ConfChange> confChanges,
        Optional<End> end,
        int segments,
        long bytes,
        Verdict verdict) {

    public ReplicaLog {
        confChanges = List.copyOf(confChanges);
    }

    /** What raft must remember across a restart. */
    public record HardState(long term, EtcdId vote, long commit) {
        public static final HardState NONE = new HardState(0, EtcdId.NONE, 0);
    }

    /** A snapshot that stands both in the log and, with a good checksum, in the snap directory. */
    public record SnapshotPoint(
            long index, long term, RaftConfiguration configuration, Path file) {}

    /** An entry that changes the membership. */
    public record ConfChange(long index, long term, Kind kind, EtcdId node) {
        public enum Kind {
            ADD_VOTER,
            ADD_LEARNER,
            REMOVE,
            UPDATE,
            /** A joint change (ConfChangeV2), which etcd 3.5 and 3.6 never write. */
            UNSUPPORTED
        }
    }

    /** A place in a segment, as a person would look it up. */
    public record Position(Path segment, long offset) {
        @Override
        public String toString() {
            return segment.getFileName() + " at byte " + offset;
        }
    }

    /** Where the log can be continued, and the checksum the continuation starts from. */
    public record End(Position position, int crc) {}

    /** Whether the log can be relied on. */
    public sealed interface Verdict {
        /** For a person. */
        default String words() {
            return switch (this) {
                case Complete() -> "sound";
                case TornTail(Position at, String why) ->
                        "sound but for a torn end at " + at + ": " + why;
                case Corrupt(Position at, String why) -> "damaged at " + at + ": " + why;
                case Incomplete(String why) -> "only a part: " + why;
                case NoMetadata() -> "it does not name its member";
                case Missing(String why) -> "missing: " + why;
            };
        }
    }

    /** Every record is good up to the end. */
    public record Complete() implements Verdict {}

    /**
     * The last write before a crash did not reach the disk as a whole. What is missing was never
     * synced, hence never acknowledged: dropping it loses nothing.
     */
    public record TornTail(Position at, String why) implements Verdict {}

    /** A record that once was synced cannot be read any more. Nothing may be built on this log. */
    public record Corrupt(Position at, String why) implements Verdict {}

    /** The leader was sending a snapshot when this replica stopped: it is a part of one. */
    public record Incomplete(String why) implements Verdict {}

    /** Segments without the record that says whose log this is. */
    public record NoMetadata() implements Verdict {}

    /** There is no log here. */
    public record Missing(String why) implements Verdict {}

    /** True if everything that was ever acknowledged by this replica was read. */
    public boolean usable() {
        return verdict instanceof Complete || verdict instanceof TornTail;
    }

    /** Who votes according to the entries known to be committed. */
    public RaftConfiguration committedConfiguration() {
        return baseConfiguration()
                .after(
                        confChanges.stream()
                                .filter(change -> change.index() <= hardState.commit())
                                .toList());
    }

    /** What this member is according to the entries known to be committed. */
    public RaftConfiguration.Role role() {
        return committedConfiguration().roleOf(node);
    }

    /** The changes of membership that no record says are committed. */
    public List<ConfChange> uncommittedConfChanges() {
        return confChanges.stream().filter(change -> change.index() > hardState.commit()).toList();
    }

    private RaftConfiguration baseConfiguration() {
        return snapshot.map(SnapshotPoint::configuration).orElse(RaftConfiguration.EMPTY);
    }
}
