package dev.tandem.host.etcd;

import dev.tandem.core.Failure;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import dev.tandem.host.etcd.api.EtcdId;
import dev.tandem.host.etcd.wal.RaftConfiguration.Role;
import dev.tandem.host.etcd.wal.ReplicaLog;
import dev.tandem.host.etcd.wal.ReplicaLog.ConfChange;
import dev.tandem.host.etcd.wal.ReplicaLog.End;
import dev.tandem.host.etcd.wal.ReplicaLog.HardState;
import dev.tandem.host.etcd.wal.ReplicaLog.Position;
import dev.tandem.host.etcd.wal.ReplicaLog.TornTail;
import dev.tandem.host.etcd.wal.WalRecord;
import dev.tandem.host.etcd.wal.WalSegment;
import dev.tandem.host.etcd.wal.WriteAheadLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/**
 * Declares the whole log of a survivor committed, before etcd is forced into a cluster of one.
 *
 * <p>etcd's forced restart drops every entry above the commit index this replica happened to know.
 * That index travels from the leader with the next message, so the survivor of a dead leader holds
 * entries that were acknowledged and lacks the note that they were. With two voters nothing is
 * committed without the survivor's synced copy; all it holds may therefore be kept, and what was
 * acknowledged must be. This class appends one record to the log: the hard state as it was, with
 * the commit index at the last entry.
 *
 * <p>Clients need no jump of the revision afterwards, as they would after a restart that drops
 * entries: whatever anybody can have seen is in the log, and numbering goes on behind it.
 *
 * <p>It is only sound on the <em>voter</em> of a pair whose other voter is proven off. The caller
 * has that proof; what the log itself can tell is checked here:
 *
 * <ul>
 *   <li>A learner, or a member that was removed, is refused: others may have committed without it.
 *   <li>A tail with our own removal is refused. If it was committed, the peer served alone after
 *       it, and this log is merely old; if it was not, nobody here can know.
 *   <li>A tail with the promotion that would make us a voter is refused with the learner that we
 *       still are: until it was applied, the peer committed alone.
 *   <li>A tail with the peer's removal, promotion or addition is kept. Two votes were needed to
 *       commit it or ours alone sufficed, and the forced restart removes the peer in any case.
 *   <li>A joint change of membership is refused: etcd's forced restart does not understand it.
 * </ul>
 *
 * <p>A torn tail is what a crash left of a write that was never synced. Its bytes are kept in a
 * file beside the segment and then zeroed, as etcd's own repair does. A log with any other fault is
 * refused and not touched.
 */
public final class CommitTail {
    private final Path dataDirectory;

    public CommitTail(Path dataDirectory) {
        this.dataDirectory = dataDirectory;
    }

    /** What would be done, as a value to show or to carry out. */
    public sealed interface Plan {
        ReplicaLog log();
    }

    /** The commit index is at the last entry already. */
    public record NothingToDo(ReplicaLog log) implements Plan {}

    /** One record is to be appended, after the torn tail, if there is one, was set aside. */
    public record Append(ReplicaLog log, HardState state, End end) implements Plan {
        /** The entries that a forced restart without this would drop. */
        public long entriesKept() {
            return state.commit() - log.hardState().commit();
        }

        public boolean repairsTornTail() {
            return log.verdict() instanceof TornTail;
        }

        /** What the log says when this was carried out, but for where it ends. */
        ReplicaLog after() {
            return new ReplicaLog(
                    log.cluster(),
                    log.node(),
                    log.firstIndex(),
                    log.lastIndex(),
                    log.lastTerm(),
                    state,
                    log.snapshot(),
                    log.confChanges(),
                    Optional.empty(),
                    log.segments(),
                    log.bytes(),
                    new ReplicaLog.Complete());
        }
    }

    /** This log must not be declared committed. */
    public record Refused(ReplicaLog log, String why, String remedy) implements Plan {}

    /** What was done. */
    public record Done(
            HardState before, HardState after, Position written, Optional<Path> tornTail) {}

    public Plan plan() {
        return plan(WriteAheadLog.read(dataDirectory));
    }

    static Plan plan(ReplicaLog log) {
        Optional<Refused> refusal = refusal(log);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        HardState before = log.hardState();
        boolean torn = log.verdict() instanceof TornTail;
        if (before.commit() == log.lastIndex() && !torn) {
            return new NothingToDo(log);
        }
        // Entries are written before the state that goes with them. If only the entries reached
        // the disk, their term is newer than the state's, and in that term nobody was voted for.
        HardState after =
                before.term() >= log.lastTerm()
                        ? new HardState(before.term(), before.vote(), log.lastIndex())
                        : new HardState(log.lastTerm(), EtcdId.NONE, log.lastIndex());
        return new Append(log, after, log.end().orElseThrow());
    }

    /** What a log that can be read holds that stands in the way of declaring it committed. */
    static WholeLog wholeLog(ReplicaLog log) {
        if (log.confChanges().stream()
                .anyMatch(change -> change.kind() == ConfChange.Kind.UNSUPPORTED)) {
            return WholeLog.CHANGES_VOTERS_JOINTLY;
        }
        return ownRemoval(log).isPresent() ? WholeLog.REMOVES_THIS_NODE : WholeLog.CAN_BE_COMMITTED;
    }

    /** The removal of this member that may have been committed. */
    private static Optional<ConfChange> ownRemoval(ReplicaLog log) {
        return log.uncommittedConfChanges().stream()
                .filter(change ->
                        change.kind() == ConfChange.Kind.REMOVE && change.node().equals(log.node()))
                .findFirst();
    }

    /**
     * Carries the plan out. Doing it twice is harmless: the second time the log is not the plan's
     * any more, and that is said. A crash inside leaves at worst a torn tail, and the old state.
     */
    public Done carryOut(Append plan) {
        Path segment = plan.end().position().segment();
        try (FileChannel channel =
                        FileChannel.open(
                                segment, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            // etcd holds a lock on each of its segments for as long as it runs. Ours proves that it
            // does not run now; it would not keep it from starting, because reading the log below
            // closes another descriptor of the file, which ends a POSIX lock.
            if (lock == null) {
                throw failure(
                        "another process, probably etcd, has " + segment + " locked",
                        "stop etcd on this node first: systemctl stop tandem-etcd");
            }
            if (!stillAsPlanned(channel, plan)) {
                throw failure(
                        "the log has changed since it was read",
                        "no action needed; this is retried automatically");
            }
            Optional<Path> kept = Optional.empty();
            if (plan.repairsTornTail()) {
                kept = Optional.of(setTornTailAside(channel, plan.end().position()));
            }
            byte[] bytes =
                    WalRecord.encode(
                            WalRecord.STATE,
                            WalRecord.encodeHardState(plan.state()),
                            plan.end().crc());
            writeFully(channel, ByteBuffer.wrap(bytes), plan.end().position().offset());
            channel.force(true);
            DurableFiles.syncDirectory(DurableFiles.parent(segment));
            verify(channel, plan, bytes);
            return new Done(plan.log().hardState(), plan.state(), plan.end().position(), kept);
        } catch (IOException e) {
            throw new Failure(
                    "cannot declare the log in " + dataDirectory + " committed",
                    IoErrors.words(e),
                    "check the disk, then try again; the log is as it was or ends in a torn tail",
                    e);
        }
    }

    /**
     * Whether nothing was appended since. An etcd that ran in between would have left a record in
     * the very place the plan found empty; a torn tail was not empty, so all is read again.
     */
    private boolean stillAsPlanned(FileChannel channel, Append plan) throws IOException {
        if (plan.repairsTornTail()) {
            return WriteAheadLog.read(dataDirectory).equals(plan.log());
        }
        Position end = plan.end().position();
        List<WalSegment> segments = WalSegment.in(DurableFiles.parent(end.segment()));
        ByteBuffer frame = ByteBuffer.allocate(WalRecord.FRAME_BYTES);
        int there = channel.read(frame, end.offset());
        return segments.size() == plan.log().segments()
                && segments.getLast().file().equals(end.segment())
                && (there < 0 || frame.flip().mismatch(ByteBuffer.allocate(there)) < 0);
    }

    private static Optional<Refused> refusal(ReplicaLog log) {
        String sound = "use the other replica, or restore a kept one: tandem replicas list";
        return switch (log.verdict()) {
            case ReplicaLog.Missing(String why) ->
                    refuse(log, "there is no log here: " + why, sound);
            case ReplicaLog.NoMetadata() -> refuse(log, "the log does not name its member", sound);
            case ReplicaLog.Corrupt(Position at, String why) ->
                    refuse(log, "the log is damaged: " + at + ": " + why, sound);
            case ReplicaLog.Incomplete(String why) ->
                    refuse(log, "the replica is incomplete: " + why, sound);
            case ReplicaLog.Complete complete -> refusalOfMembership(log);
            case TornTail torn -> refusalOfMembership(log);
        };
    }

    private static Optional<Refused> refusalOfMembership(ReplicaLog log) {
        for (ConfChange change : log.confChanges()) {
            if (change.kind() == ConfChange.Kind.UNSUPPORTED) {
                return refuse(
                        log,
                        "entry %d is a joint change of membership, which a forced restart ignores"
                                .formatted(change.index()),
                        "bring the peer back and let raft finish the change");
            }
        }
        String peerFirst = "bring the peer back: it may hold what this replica lacks";
        Role role = log.role();
        if (role != Role.VOTER) {
            return refuse(
                    log,
                    switch (role) {
                        case LEARNER -> "this replica is a learner: the peer committed without it";
                        case REMOVED -> "this replica was removed: the peer went on without it";
                        default -> "this replica is not a member by its own log";
                    },
                    peerFirst);
        }
        return ownRemoval(log)
                .flatMap(change ->
                        refuse(
                                log,
                                "entry %d removes this member and may have been committed"
                                        .formatted(change.index()),
                                peerFirst));
    }

    private static Optional<Refused> refuse(ReplicaLog log, String why, String remedy) {
        return Optional.of(new Refused(log, why, remedy));
    }

    /** Copies what stands behind the last good record, then overwrites it with zeros. */
    private static Path setTornTailAside(FileChannel channel, Position end) throws IOException {
        long size = channel.size();
        Path evidence =
                end.segment()
                        .resolveSibling(
                                "%s.torn-at-%d"
                                        .formatted(end.segment().getFileName(), end.offset()));
        if (!Files.exists(evidence)) {
            // Not there yet, or there from an earlier try that got further than the copy.
            Path partial = evidence.resolveSibling(evidence.getFileName() + ".tmp");
            try (FileChannel copy =
                    FileChannel.open(
                            partial,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE)) {
                for (long at = end.offset(); at < size; ) {
                    at += channel.transferTo(at, size - at, copy);
                }
                copy.force(true);
            }
            DurableFiles.rename(partial, evidence);
        }
        ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
        for (long at = end.offset(); at < size; at += zeros.capacity()) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), size - at));
            writeFully(channel, zeros, at);
        }
        channel.force(true);
        return evidence;
    }

    private static void writeFully(FileChannel channel, ByteBuffer bytes, long offset)
            throws IOException {
        long at = offset;
        while (bytes.hasRemaining()) {
            at += channel.write(bytes, at);
        }
    }

    /**
     * Only what was written: the log before it was read when this was planned, and nobody had it
     * since.
     */
    private void verify(FileChannel channel, Append plan, byte[] written) throws IOException {
        ByteBuffer there = ByteBuffer.allocate(written.length);
        long at = plan.end().position().offset();
        while (there.hasRemaining() && channel.read(there, at + there.position()) > 0) {
            // Until it is there, or the file ends.
        }
        if (!there.flip().equals(ByteBuffer.wrap(written))) {
            throw failure(
                    "read back, the log does not hold what was written at " + plan.end().position(),
                    "do not start etcd here; keep the directory and check the disk");
        }
    }

    private Failure failure(String why, String remedy) {
        return new Failure(
                "cannot declare the log in " + dataDirectory + " committed", why, remedy);
    }
}
