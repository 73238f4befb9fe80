package dev.tandem.host.etcd.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.etcd.api.EtcdId;
import dev.tandem.host.etcd.wal.RaftConfiguration.Role;
import dev.tandem.host.etcd.wal.ReplicaLog.ConfChange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriteAheadLogTest {
    private static final EtcdId NODE = new EtcdId(WalWriter.NODE);
    private static final EtcdId PEER = new EtcdId(WalWriter.PEER);

    @TempDir private Path data;

    @Test
    void aPlainLogTellsWhoseItIsAndHowFarItGoes() {
        WalWriter.ofTwoVoters(data)
                .entry(2, 3, "a")
                .entry(2, 4, "b")
                .state(2, WalWriter.PEER, 3)
                .entry(2, 5, "c")
                .zeros(4096);

        ReplicaLog log = WriteAheadLog.read(data);

        assertThat(log.verdict()).isEqualTo(new ReplicaLog.Complete());
        assertThat(log.node()).hasToString("f00d000000000001");
        assertThat(log.cluster().decimal()).isEqualTo(Long.toUnsignedString(WalWriter.CLUSTER));
        assertThat(log.firstIndex()).isEqualTo(1);
        assertThat(log.lastIndex()).isEqualTo(5);
        assertThat(log.lastTerm()).isEqualTo(2);
        assertThat(log.hardState()).isEqualTo(new ReplicaLog.HardState(2, PEER, 3));
        assertThat(log.role()).isEqualTo(Role.VOTER);
        assertThat(log.committedConfiguration().voters()).containsExactlyInAnyOrder(NODE, PEER);
    }

    @Test
    void aLaterEntryWithTheSameIndexReplacesItAndAllAfterIt() {
        WalWriter.ofTwoVoters(data)
                .entry(2, 3, "a")
                .confChange(2, 4, 1, WalWriter.PEER)
                .entry(2, 5, "c")
                .entry(3, 4, "the new leader's")
                .state(3, WalWriter.PEER, 3);

        ReplicaLog log = WriteAheadLog.read(data);

        assertThat(log.lastIndex()).isEqualTo(4);
        assertThat(log.lastTerm()).isEqualTo(3);
        assertThat(log.confChanges()).extracting(ConfChange::index).containsExactly(1L, 2L);
    }

    @Test
    void theChecksumRunsThroughAllSegments() {
        WalWriter writer =
                WalWriter.ofTwoVoters(data)
                        .entry(2, 3, "a")
                        .segment(4)
                        .metadata(WalWriter.NODE, WalWriter.CLUSTER)
                        .state(2, WalWriter.PEER, 3)
                        .entry(2, 4, "b")
                        .segment(5)
                        .metadata(WalWriter.NODE, WalWriter.CLUSTER)
                        .state(2, WalWriter.PEER, 4)
                        .entry(2, 5, "c");

        ReplicaLog log = WriteAheadLog.read(data);

        assertThat(log.verdict()).isEqualTo(new ReplicaLog.Complete());
        assertThat(log.lastIndex()).isEqualTo(5);
        assertThat(log.segments()).isEqualTo(3);
        assertThat(log.end().orElseThrow().position().segment()).isEqualTo(writer.file());
        assertThat(log.end().orElseThrow().position().offset()).isEqualTo(writer.size());
    }

    @Test
    void aMissingSegmentInTheMiddleIsCorruption() throws IOException {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "a").segment(4);
        Path middle = writer.metadata(WalWriter.NODE, WalWriter.CLUSTER).entry(2, 4, "b").file();
        writer.segment(5).metadata(WalWriter.NODE, WalWriter.CLUSTER).entry(2, 5, "c");
        Files.delete(middle);

        assertThat(WriteAheadLog.read(data).verdict())
                .isInstanceOfSatisfying(
                        ReplicaLog.Corrupt.class,
                        corrupt -> assertThat(corrupt.why()).contains("number 1, is missing"));
    }

    @Test
    void aLogWhoseOldSegmentsWerePurgedStartsFromItsSnapshot() throws IOException {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "a");
        Path purged = writer.file();
        writer.segment(4)
                .metadata(WalWriter.NODE, WalWriter.CLUSTER)
                .state(2, WalWriter.PEER, 3)
                .entry(2, 4, "b")
                .state(2, WalWriter.PEER, 4)
                .snapshotMark(2, 4)
                .snapshotFile(2, 4, List.of(WalWriter.NODE, WalWriter.PEER), List.of())
                .entry(2, 5, "c");
        Files.delete(purged);

        ReplicaLog log = WriteAheadLog.read(data);

        assertThat(log.verdict()).isEqualTo(new ReplicaLog.Complete());
        assertThat(log.firstIndex()).isEqualTo(4);
        assertThat(log.lastIndex()).isEqualTo(5);
        assertThat(log.snapshot().orElseThrow().index()).isEqualTo(4);
        assertThat(log.role()).isEqualTo(Role.VOTER);
    }

    @Test
    void aSnapshotAtTheEntryBeforeTheOldestSegmentDropsNothing() throws IOException {
        WalWriter writer = purgedUpTo(100);
        writer.entry(2, 101, "written while the snapshot was being saved")
                .snapshotMark(2, 100)
                .snapshotFile(2, 100, List.of(WalWriter.NODE, WalWriter.PEER), List.of())
                .entry(2, 102, "b")
                .state(2, WalWriter.PEER, 102);

        ReplicaLog log = WriteAheadLog.read(data);

        assertThat(log.verdict()).isEqualTo(new ReplicaLog.Complete());
        assertThat(log.firstIndex()).isEqualTo(101);
        assertThat(log.lastIndex()).isEqualTo(102);
        assertThat(log.snapshot().orElseThrow().index()).isEqualTo(100);
    }

    /** Terms never fall along a log, so the snapshot is of another history than the entries. */
    @Test
    void aSnapshotOfALaterTermThanTheEntriesAfterItTakesTheirPlace() throws IOException {
        WalWriter writer = purgedUpTo(100);
        writer.entry(2, 101, "conflicting")
                .snapshotFile(3, 100, List.of(WalWriter.NODE, WalWriter.PEER), List.of())
                .snapshotMark(3, 100)
                .state(3, WalWriter.PEER, 100);

        ReplicaLog log = WriteAheadLog.read(data);

        assertThat(log.verdict()).isEqualTo(new ReplicaLog.Complete());
        assertThat(log.lastIndex()).isEqualTo(100);
        assertThat(log.lastTerm()).isEqualTo(3);
    }

    /** A log whose oldest segment begins with the entry after {@code index}, of term 2. */
    private WalWriter purgedUpTo(long index) throws IOException {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "a");
        Path purged = writer.file();
        writer.segment(index + 1)
                .metadata(WalWriter.NODE, WalWriter.CLUSTER)
                .state(2, WalWriter.PEER, index);
        Files.delete(purged);
        return writer;
    }

    @Test
    void aPurgedLogWithoutAGoodSnapshotFileIsCorrupt() throws IOException {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "a");
        Path purged = writer.file();
        writer.segment(4)
                .metadata(WalWriter.NODE, WalWriter.CLUSTER)
                .state(2, WalWriter.PEER, 4)
                .entry(2, 4, "b")
                .snapshotMark(2, 4)
                .snapshotFile(2, 4, List.of(WalWriter.NODE), List.of());
        Path snap = data.resolve("member/snap/%016x-%016x.snap".formatted(2, 4));
        byte[] bytes = Files.readAllBytes(snap);
        bytes[bytes.length - 1] ^= 1;
        Files.write(snap, bytes);
        Files.delete(purged);

        assertThat(WriteAheadLog.read(data).verdict()).isInstanceOf(ReplicaLog.Corrupt.class);
    }

    @Test
    void aSnapshotFromTheLeaderTakesThePlaceOfTheEntries() {
        WalWriter.ofTwoVoters(data)
                .entry(2, 3, "conflicting")
                .entry(2, 4, "conflicting")
                .snapshotFile(3, 100, List.of(WalWriter.PEER), List.of(WalWriter.NODE))
                .snapshotMark(3, 100)
                .state(3, 0, 100)
                .entry(3, 101, "a");

        ReplicaLog log = WriteAheadLog.read(data);

        assertThat(log.verdict()).isEqualTo(new ReplicaLog.Complete());
        assertThat(log.firstIndex()).isEqualTo(101);
        assertThat(log.lastIndex()).isEqualTo(101);
        assertThat(log.role()).isEqualTo(Role.LEARNER);
    }

    @Test
    void aSnapshotInsideAConflictingTailDropsThatTailAsRaftDid() {
        WalWriter.ofTwoVoters(data)
                .entry(2, 3, "conflicting")
                .entry(2, 4, "conflicting")
                .entry(2, 5, "conflicting")
                .snapshotFile(3, 4, List.of(WalWriter.PEER, WalWriter.NODE), List.of())
                .snapshotMark(3, 4)
                .state(3, 0, 4);

        ReplicaLog log = WriteAheadLog.read(data);

        assertThat(log.lastIndex()).isEqualTo(4);
        assertThat(log.lastTerm()).isEqualTo(3);
    }

    @Test
    void aSnapshotThatWasBeingInstalledLeavesAPartOfAReplica() {
        WalWriter.ofTwoVoters(data)
                .entry(2, 3, "a")
                .snapshotFile(3, 100, List.of(WalWriter.PEER, WalWriter.NODE), List.of())
                .snapshotMark(3, 100);

        assertThat(WriteAheadLog.read(data).verdict()).isInstanceOf(ReplicaLog.Incomplete.class);
    }

    @Test
    void aRecordWhoseSectorsNeverArrivedIsATornTail() {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "a");
        writer.entry(2, 4, "x".repeat(3000)).zeros(4096);
        long record = writer.offset(-1);
        writer.overwrite((record / 512 + 2) * 512, new byte[512]);

        ReplicaLog log = WriteAheadLog.read(data);

        assertThat(log.verdict())
                .isInstanceOfSatisfying(
                        ReplicaLog.TornTail.class,
                        torn -> assertThat(torn.at().offset()).isEqualTo(record));
        assertThat(log.lastIndex()).isEqualTo(3);
        assertThat(log.usable()).isTrue();
    }

    @Test
    void aFileThatEndsInsideARecordIsATornTail() throws IOException {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "a").entry(2, 4, "b");
        try (var channel = FileChannel.open(writer.file(), StandardOpenOption.WRITE)) {
            channel.truncate(writer.size() - 8);
        }

        ReplicaLog log = WriteAheadLog.read(data);

        assertThat(log.verdict()).isInstanceOf(ReplicaLog.TornTail.class);
        assertThat(log.lastIndex()).isEqualTo(3);
    }

    @Test
    void bytesBehindTheEndAreATornTailToo() {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "a").zeros(4096);
        writer.overwrite(writer.size() - 100, new byte[] {1});

        assertThat(WriteAheadLog.read(data).verdict()).isInstanceOf(ReplicaLog.TornTail.class);
    }

    @Test
    void aFlippedBitIsCorruptionAndNamesItsPlace() {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "abcdefgh").entry(2, 4, "b");
        long record = writer.offset(-2);
        writer.overwrite(record + 24, new byte[] {'X'});
        writer.zeros(4096);

        assertThat(WriteAheadLog.read(data).verdict())
                .isInstanceOfSatisfying(
                        ReplicaLog.Corrupt.class,
                        corrupt -> {
                            assertThat(corrupt.at().offset()).isEqualTo(record);
                            assertThat(corrupt.why()).contains("checksum");
                        });
    }

    @Test
    void aDamagedLengthThatSwallowsGoodRecordsIsNoTornTail() {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "a");
        for (int i = 4; i < 20; i++) {
            writer.entry(2, i, "synced and acknowledged");
        }
        writer.zeros(1 << 16);
        // The second byte of the length: 32 KiB more, which reaches into the prepared space.
        writer.overwrite(writer.offset(-16) + 1, new byte[] {(byte) 0x80});

        assertThat(WriteAheadLog.read(data).verdict()).isInstanceOf(ReplicaLog.Corrupt.class);
    }

    @Test
    void aDamagedLengthBeyondTheFileIsNoTornTailEither() {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "a");
        writer.entry(2, 4, "b").entry(2, 5, "c").entry(2, 6, "d");
        writer.overwrite(writer.offset(-3) + 5, new byte[] {(byte) 0x7f});

        assertThat(WriteAheadLog.read(data).verdict()).isInstanceOf(ReplicaLog.Corrupt.class);
    }

    @Test
    void aTornRecordInAnOlderSegmentIsCorruption() throws IOException {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "a".repeat(100));
        Path first = writer.file();
        writer.segment(4).metadata(WalWriter.NODE, WalWriter.CLUSTER).entry(2, 4, "b");
        try (var channel = FileChannel.open(first, StandardOpenOption.WRITE)) {
            channel.truncate(Files.size(first) - 16);
        }

        assertThat(WriteAheadLog.read(data).verdict()).isInstanceOf(ReplicaLog.Corrupt.class);
    }

    @Test
    void aGapBetweenEntriesIsCorruption() {
        WalWriter.ofTwoVoters(data).entry(2, 3, "a").entry(2, 5, "c");

        assertThat(WriteAheadLog.read(data).verdict())
                .isInstanceOfSatisfying(
                        ReplicaLog.Corrupt.class,
                        corrupt -> assertThat(corrupt.why()).contains("entry 5 does not follow"));
    }

    @Test
    void aCommitIndexBeyondTheLastEntryIsCorruption() {
        WalWriter.ofTwoVoters(data).entry(2, 3, "a").state(2, WalWriter.PEER, 9);

        assertThat(WriteAheadLog.read(data).verdict()).isInstanceOf(ReplicaLog.Corrupt.class);
    }

    @Test
    void aRecordLargerThanTheWindowIsReadInPieces() {
        WalWriter.ofTwoVoters(data)
                .entry(0, 2, 3, new byte[(3 << 20) + 5])
                .entry(2, 4, "b")
                .zeros(512);

        ReplicaLog log = WriteAheadLog.read(data);

        assertThat(log.verdict()).isEqualTo(new ReplicaLog.Complete());
        assertThat(log.lastIndex()).isEqualTo(4);
    }

    @Test
    void noDirectoryIsNoLog() {
        assertThat(WriteAheadLog.read(data.resolve("nowhere")).verdict())
                .isInstanceOf(ReplicaLog.Missing.class);
    }

    @Test
    void aLogWithoutMetadataIsNobodys() {
        new WalWriter(data).segment(0).snapshotMark(0, 0).entry(1, 1, "a");

        assertThat(WriteAheadLog.read(data).verdict()).isEqualTo(new ReplicaLog.NoMetadata());
    }

    @Test
    void aChangeOfOwnerBetweenSegmentsIsCorruption() {
        WalWriter.ofTwoVoters(data).segment(3).metadata(WalWriter.PEER, WalWriter.CLUSTER);

        assertThat(WriteAheadLog.read(data).verdict()).isInstanceOf(ReplicaLog.Corrupt.class);
    }

    /** Whatever is broken, the reader answers; and it never calls a damaged log complete. */
    @Test
    void randomDamageNeverPassesForACompleteLog() {
        WalWriter writer = WalWriter.ofTwoVoters(data);
        Random values = new Random(42);
        for (int i = 3; i < 60; i++) {
            byte[] value = new byte[values.nextInt(700)];
            values.nextBytes(value);
            writer.entry(0, 2, i, value);
        }
        long size = writer.size();
        writer.zeros(2048);
        ReplicaLog good = WriteAheadLog.read(data);
        assertThat(good.lastIndex()).isEqualTo(59);
        for (int seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            long at = random.nextLong(size);
            byte[] before = read(writer.file(), at);
            byte flipped = (byte) (before[0] ^ (1 << random.nextInt(8)));
            writer.overwrite(at, new byte[] {flipped});
            ReplicaLog log = WriteAheadLog.read(data);
            writer.overwrite(at, before);
            if (log.verdict() instanceof ReplicaLog.Complete) {
                // Padding and the count of it are not covered by any checksum.
                assertThat(log).as("seed %d at %d", seed, at).isEqualTo(good);
            } else if (log.verdict() instanceof ReplicaLog.TornTail torn) {
                assertThat(size - torn.at().offset())
                        .as("seed %d at %d drops synced records: %s", seed, at, torn)
                        .isLessThan(1500);
            }
        }
    }

    private static byte[] read(Path file, long at) {
        try (var channel = Files.newByteChannel(file)) {
            var one = ByteBuffer.allocate(1);
            channel.position(at).read(one);
            return one.array();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
