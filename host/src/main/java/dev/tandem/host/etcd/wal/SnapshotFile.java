package dev.tandem.host.etcd.wal;

import dev.tandem.host.etcd.api.EtcdId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/** A {@code .snap} file: a checksum around raft's snapshot, of which the metadata matter here. */
record SnapshotFile(long index, long term, RaftConfiguration configuration) {
    /** The file holds the members and little else; the keys are in the database beside it. */
    private static final long MOST_BYTES = 64L << 20;

    static Path path(Path snapDirectory, long index, long term) {
        return snapDirectory.resolve("%016x-%016x.snap".formatted(term, index));
    }

    static SnapshotFile read(Path file) throws IOException, Malformed {
        if (Files.size(file) > MOST_BYTES) {
            throw new Malformed("the snapshot file has more than " + MOST_BYTES + " bytes");
        }
        ProtoReader outer = new ProtoReader(ByteBuffer.wrap(Files.readAllBytes(file)));
        long crc = 0;
        ByteBuffer data = ByteBuffer.allocate(0);
        while (outer.next()) {
            switch (outer.field()) {
                case 1 -> crc = outer.varint();
                case 2 -> data = outer.bytes();
                default -> outer.skip();
            }
        }
        CRC32C actual = new CRC32C();
        actual.update(data.duplicate());
        if (!data.hasRemaining() || actual.getValue() != crc) {
            throw new Malformed(
                    "the checksum is %08x, the file says %08x".formatted(actual.getValue(), crc));
        }
        ProtoReader snapshot = new ProtoReader(data);
        while (snapshot.next()) {
            if (snapshot.field() == 2) {
                return metadata(snapshot.bytes());
            }
            snapshot.skip();
        }
        throw new Malformed("the snapshot has no metadata");
    }

    private static SnapshotFile metadata(ByteBuffer bytes) throws Malformed {
        ProtoReader message = new ProtoReader(bytes);
        RaftConfiguration configuration = RaftConfiguration.EMPTY;
        long index = 0;
        long term = 0;
        while (message.next()) {
            switch (message.field()) {
                case 1 -> configuration = configuration(message.bytes());
                case 2 -> index = message.count("the snapshot's index");
                case 3 -> term = message.count("the snapshot's term");
                default -> message.skip();
            }
        }
        return new SnapshotFile(index, term, configuration);
    }

    private static RaftConfiguration configuration(ByteBuffer bytes) throws Malformed {
        ProtoReader message = new ProtoReader(bytes);
        Set<EtcdId> voters = new TreeSet<>();
        Set<EtcdId> learners = new TreeSet<>();
        while (message.next()) {
            switch (message.field()) {
                case 1 -> voters.add(new EtcdId(message.varint()));
                case 2 -> learners.add(new EtcdId(message.varint()));
                // A joint configuration: two sets of voters at once. etcd never enters one.
                case 3, 4 -> throw new Malformed("the snapshot has a joint configuration");
                default -> message.skip();
            }
        }
        return new RaftConfiguration(voters, learners, Set.of());
    }
}
