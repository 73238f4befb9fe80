package dev.tandem.host.etcd.wal;

import dev.tandem.core.Failure;
import dev.tandem.host.IoErrors;
import dev.tandem.host.etcd.api.EtcdId;
import dev.tandem.host.etcd.wal.ReplicaLog.ConfChange;
import dev.tandem.host.etcd.wal.ReplicaLog.End;
import dev.tandem.host.etcd.wal.ReplicaLog.HardState;
import dev.tandem.host.etcd.wal.ReplicaLog.Position;
import dev.tandem.host.etcd.wal.ReplicaLog.SnapshotPoint;
import dev.tandem.host.etcd.wal.ReplicaLog.Verdict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Reads etcd's write-ahead log (the format of etcd 3.5 and 3.6) the way etcd does when it starts,
 * without changing anything, and stricter where strictness protects data:
 *
 * <ul>
 *   <li>a record that etcd's repair would cut off as torn although good records stand behind a
 *       damaged length is called corrupt;
 *   <li>a gap between entries, or between the snapshot and the first entry, is corrupt;
 *   <li>entries that a snapshot from the leader replaced are dropped, as raft dropped them.
 * </ul>
 *
 * An entry whose index was there before replaces that one and all after it: that is how raft
 * overwrites what a former leader had sent and nobody committed.
 */
public final class WriteAheadLog {
    /**
     * An etcd that runs shortens a segment when it starts and when it begins the next one, and
     * deletes old ones: rare enough that three readings in a row do not all meet it.
     */
    private static final int READINGS = 3;

    /** No entry has this term. */
    private static final long UNKNOWN = 0;

    private final Path snapDirectory;
    private final List<WalSegment> segments;
    private final List<TermRun> terms = new ArrayList<>();
    private final List<ConfChange> confChanges = new ArrayList<>();
    private final List<SnapshotMark> marks = new ArrayList<>();

    private byte[] metadata = new byte[0];
    private EtcdId cluster = EtcdId.NONE;
    private EtcdId node = EtcdId.NONE;
    private HardState hardState = HardState.NONE;

    /** The entries are (base, last]; base is -1 while nothing said where the log begins. */
    private long base = -1;

    private long last;

    /** Of the entry at the base. */
    private long baseTerm = UNKNOWN;

    private long bytes;

    /** Entries from an index on, up to the next run, have this term. */
    private record TermRun(long from, long term) {}

    /** The note in the log that a snapshot was saved. */
    private record SnapshotMark(long index, long term) {}

    private WriteAheadLog(Path snapDirectory, List<WalSegment> segments) {
        this.snapDirectory = snapDirectory;
        this.segments = segments;
    }

    /** Reads the log of the data directory etcd was given. */
    public static ReplicaLog read(Path dataDirectory) {
        return read(
                dataDirectory.resolve("member").resolve("wal"),
                dataDirectory.resolve("member").resolve("snap"));
    }

    public static ReplicaLog read(Path walDirectory, Path snapDirectory) {
        try {
            for (int again = 1; ; again++) {
                try {
                    return readOnce(walDirectory, snapDirectory);
                } catch (WalCursor.Shortened | NoSuchFileException e) {
                    if (again == READINGS) {
                        throw e;
                    }
                }
            }
        } catch (IOException e) {
            throw new Failure(
                    "cannot read etcd's log in " + walDirectory,
                    IoErrors.words(e),
                    "check the disk: dmesg --level err,warn | tail; ls -l " + walDirectory,
                    e);
        }
    }

    /** The size of all segments together, without reading them. */
    public static long bytes(Path dataDirectory) throws IOException {
        long bytes = 0;
        for (WalSegment segment : WalSegment.in(dataDirectory.resolve("member").resolve("wal"))) {
            try {
                bytes += Files.size(segment.file());
            } catch (NoSuchFileException e) {
                // The server has just dropped it.
            }
        }
        return bytes;
    }

    private static ReplicaLog readOnce(Path walDirectory, Path snapDirectory) throws IOException {
        List<WalSegment> segments = WalSegment.in(walDirectory);
        WriteAheadLog log = new WriteAheadLog(snapDirectory, segments);
        return segments.isEmpty()
                ? log.result(
                        new ReplicaLog.Missing("no segment in " + walDirectory),
                        Optional.empty(),
                        Optional.empty())
                : log.readAll();
    }

    private ReplicaLog readAll() throws IOException {
        CrcChain chain = new CrcChain(0);
        boolean seeded = false;
        // The last good checksum: the chain itself has already taken in a record that turned out
        // bad.
        int crc = 0;
        for (int i = 0; i < segments.size(); i++) {
            WalSegment segment = segments.get(i);
            boolean lastSegment = i == segments.size() - 1;
            if (i > 0 && segment.sequence() != segments.get(i - 1).sequence() + 1) {
                return corrupt(
                        new Position(segment.file(), 0),
                        "the segment before it, number %x, is missing"
                                .formatted(segment.sequence() - 1));
            }
            bytes += Files.size(segment.file());
            try (WalCursor cursor = new WalCursor(segment.file())) {
                boolean more = true;
                while (more) {
                    long at = cursor.offset();
                    switch (cursor.next(chain)) {
                        case WalCursor.Good(WalRecord found) when found.type() == WalRecord.CRC -> {
                            if (seeded && chain.value() != found.crc()) {
                                return corrupt(
                                        new Position(segment.file(), at),
                                        "it continues from checksum %08x, but the log was at %08x"
                                                .formatted(found.crc(), chain.value()));
                            }
                            chain = new CrcChain(found.crc());
                            crc = found.crc();
                            seeded = true;
                        }
                        case WalCursor.Good(WalRecord found) -> {
                            try {
                                take(found, at);
                            } catch (Malformed e) {
                                return corrupt(new Position(segment.file(), at), e.why());
                            }
                            crc = found.crc();
                        }
                        case WalCursor.Finish() -> {
                            Position here = new Position(segment.file(), at);
                            if (at == 0) {
                                return corrupt(here, "the segment holds no record");
                            }
                            if (lastSegment) {
                                return finished(
                                        cursor.somethingFollows()
                                                ? new ReplicaLog.TornTail(
                                                        here,
                                                        "prepared space behind the last record is"
                                                                + " not empty")
                                                : new ReplicaLog.Complete(),
                                        new End(here, crc));
                            }
                            more = false;
                        }
                        case WalCursor.Bad(String why, boolean torn) -> {
                            Position here = new Position(segment.file(), at);
                            if (!torn || !lastSegment || at == 0) {
                                return corrupt(here, why);
                            }
                            return finished(new ReplicaLog.TornTail(here, why), new End(here, crc));
                        }
                    }
                }
            }
        }
        throw new IllegalStateException("the last segment ends the reading");
    }

    private void take(WalRecord found, long at) throws Malformed {
        if (at == 0) {
            throw new Malformed("the segment does not begin with a checksum");
        }
        if (found.type() != WalRecord.ENTRY && !found.whole()) {
            throw new Malformed("a record of type " + found.type() + " is far too large");
        }
        switch (found.type()) {
            case WalRecord.METADATA -> takeMetadata(found.head());
            case WalRecord.ENTRY -> takeEntry(found);
            case WalRecord.STATE -> takeState(found.head());
            case WalRecord.SNAPSHOT -> takeSnapshot(found.head());
            default -> throw new Malformed("the record has the unknown type " + found.type());
        }
    }

    private void takeMetadata(ByteBuffer data) throws Malformed {
        byte[] raw = new byte[data.remaining()];
        data.get(0, raw);
        if (metadata.length > 0) {
            if (!Arrays.equals(metadata, raw)) {
                throw new Malformed("two segments name different members as their owner");
            }
            return;
        }
        ProtoReader message = new ProtoReader(data);
        while (message.next()) {
            switch (message.field()) {
                case 1 -> node = new EtcdId(message.varint());
                case 2 -> cluster = new EtcdId(message.varint());
                default -> message.skip();
            }
        }
        metadata = raw;
    }

    private void takeState(ByteBuffer data) throws Malformed {
        ProtoReader message = new ProtoReader(data);
        long term = 0;
        EtcdId vote = EtcdId.NONE;
        long commit = 0;
        while (message.next()) {
            switch (message.field()) {
                case 1 -> term = message.count("the term");
                case 2 -> vote = new EtcdId(message.varint());
                case 3 -> commit = message.count("the commit index");
                default -> message.skip();
            }
        }
        hardState = new HardState(term, vote, commit);
    }

    private void takeSnapshot(ByteBuffer data) throws Malformed {
        ProtoReader message = new ProtoReader(data);
        long index = 0;
        long term = 0;
        while (message.next()) {
            switch (message.field()) {
                case 1 -> index = message.count("the snapshot's index");
                case 2 -> term = message.count("the snapshot's term");
                default -> message.skip();
            }
        }
        marks.add(new SnapshotMark(index, term));
        if (base < 0) {
            // Older segments were purged: this may be the note of a snapshot far behind them.
            if (segments.getFirst().sequence() == 0) {
                startAt(index, term);
            }
            return;
        }
        if (index == base && baseTermMayBe(term)) {
            // The log was cut between an entry and the note of the snapshot at it, and the part
            // with the entry was purged: this is the note, and what follows the entry stays.
            baseTerm = term;
            return;
        }
        boolean behind = index < base;
        boolean ours = !behind && index <= last && termAt(index) == term;
        if (!behind && !ours) {
            // A snapshot from the leader took the place of all this member had.
            startAt(index, term);
        }
    }

    /**
     * Whether the entry at the base, which was purged, may have been of this term. Terms never fall
     * along a log: a snapshot of a later term than the entry after it is of another history.
     */
    private boolean baseTermMayBe(long term) {
        return baseTerm == UNKNOWN && (terms.isEmpty() || term <= terms.getFirst().term());
    }

    private void startAt(long index, long term) {
        base = index;
        last = index;
        baseTerm = term;
        terms.clear();
        confChanges.clear();
    }

    private void takeEntry(WalRecord found) throws Malformed {
        ProtoReader message = new ProtoReader(found.head());
        long type = 0;
        long term = 0;
        long index = 0;
        ByteBuffer data = ByteBuffer.allocate(0);
        while (message.next()) {
            switch (message.field()) {
                case 1 -> type = message.varint();
                case 2 -> term = message.count("the term");
                case 3 -> index = message.count("the index");
                case 4 -> {
                    if (type == 0) {
                        // The data of an ordinary entry is etcd's business, and the last field.
                        append(index, term);
                        return;
                    }
                    data = message.bytes();
                }
                default -> message.skip();
            }
        }
        append(index, term);
        if (type == 1) {
            confChanges.add(confChange(index, term, data));
        } else if (type != 0) {
            confChanges.add(new ConfChange(index, term, ConfChange.Kind.UNSUPPORTED, EtcdId.NONE));
        }
    }

    private void append(long index, long term) throws Malformed {
        if (base < 0) {
            base = index - 1;
            last = base;
        }
        if (index <= base || index > last + 1) {
            throw new Malformed(
                    "entry %d does not follow entry %d of a log that begins after %d"
                            .formatted(index, last, base));
        }
        if (index <= last) {
            terms.removeIf(run -> run.from() >= index);
            confChanges.removeIf(change -> change.index() >= index);
        }
        last = index;
        if (terms.isEmpty() || terms.getLast().term() != term) {
            terms.add(new TermRun(index, term));
        }
    }

    private long termAt(long index) {
        if (index == base) {
            return baseTerm;
        }
        for (TermRun run : terms.reversed()) {
            if (run.from() <= index) {
                return run.term();
            }
        }
        return baseTerm;
    }

    private static ConfChange confChange(long index, long term, ByteBuffer data) throws Malformed {
        ProtoReader message = new ProtoReader(data);
        long type = 0;
        EtcdId node = EtcdId.NONE;
        while (message.next()) {
            switch (message.field()) {
                case 2 -> type = message.varint();
                case 3 -> node = new EtcdId(message.varint());
                default -> message.skip();
            }
        }
        ConfChange.Kind kind =
                switch ((int) type) {
                    case 0 -> ConfChange.Kind.ADD_VOTER;
                    case 1 -> ConfChange.Kind.REMOVE;
                    case 2 -> ConfChange.Kind.UPDATE;
                    case 3 -> ConfChange.Kind.ADD_LEARNER;
                    default -> ConfChange.Kind.UNSUPPORTED;
                };
        return new ConfChange(index, term, kind, node);
    }

    private ReplicaLog corrupt(Position at, String why) throws IOException {
        return result(new ReplicaLog.Corrupt(at, why), usableSnapshot(), Optional.empty());
    }

    /** Everything was read; what remains is whether it is enough to start from. */
    private ReplicaLog finished(Verdict read, End end) throws IOException {
        Optional<SnapshotPoint> snapshot = usableSnapshot();
        Position start = new Position(segments.getFirst().file(), 0);
        long covered = snapshot.map(SnapshotPoint::index).orElse(0L);
        Verdict verdict = read;
        if (metadata.length == 0) {
            verdict = new ReplicaLog.NoMetadata();
        } else if (base > hardState.commit()) {
            verdict =
                    new ReplicaLog.Incomplete(
                            "a snapshot at index %d was being installed over commit index %d"
                                    .formatted(base, hardState.commit()));
        } else if (base > covered) {
            verdict =
                    new ReplicaLog.Corrupt(
                            start,
                            "the log begins after index %d and the newest good snapshot is at %d"
                                    .formatted(base, covered));
        } else if (hardState.commit() > last) {
            verdict =
                    new ReplicaLog.Corrupt(
                            end.position(),
                            "index %d was committed and the last entry is %d"
                                    .formatted(hardState.commit(), last));
        }
        return result(verdict, snapshot, Optional.of(end));
    }

    /** The newest snapshot etcd would accept: noted in the log, committed, and with a good file. */
    private Optional<SnapshotPoint> usableSnapshot() throws IOException {
        for (SnapshotMark mark : marks.reversed()) {
            if (mark.index() > 0 && mark.index() <= hardState.commit()) {
                Optional<SnapshotPoint> snapshot = snapshotAt(mark);
                if (snapshot.isPresent()) {
                    return snapshot;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<SnapshotPoint> snapshotAt(SnapshotMark mark) throws IOException {
        Path file = SnapshotFile.path(snapDirectory, mark.index(), mark.term());
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            SnapshotFile snapshot = SnapshotFile.read(file);
            return snapshot.index() == mark.index() && snapshot.term() == mark.term()
                    ? Optional.of(
                            new SnapshotPoint(
                                    mark.index(), mark.term(), snapshot.configuration(), file))
                    : Optional.empty();
        } catch (Malformed e) {
            // etcd sets such a file aside and takes the one before it; so do we, read-only.
            return Optional.empty();
        }
    }

    private ReplicaLog result(
            Verdict verdict, Optional<SnapshotPoint> snapshot, Optional<End> end) {
        long covered = snapshot.map(SnapshotPoint::index).orElse(0L);
        return new ReplicaLog(
                cluster,
                node,
                last > Math.max(base, 0) ? base + 1 : 0,
                last,
                termAt(last),
                hardState,
                snapshot,
                confChanges.stream().filter(change -> change.index() > covered).toList(),
                end,
                segments.size(),
                bytes,
                verdict);
    }
}
