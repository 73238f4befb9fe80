package dev.tandem.host.etcd.wal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes logs for tests, from the format's description and without a line of the code under test:
 * the checksum is computed over everything since the log's beginning, each time from the start.
 */
public final class WalWriter {
    public static final long NODE = 0xf00d_0000_0000_0001L;
    public static final long PEER = 0xbeef_0000_0000_0002L;
    public static final long CLUSTER = 0xcafe_0000_0000_0003L;

    private final Path data;
    private final CRC32C everything = new CRC32C();
    private final List<Long> offsets = new ArrayList<>();
    private Path segment;
    private int sequence;

    public WalWriter(Path data) {
        this.data = data;
        this.segment = data;
    }

    /** A log that begins as etcd's begins: two voters, one of them the owner, term 2. */
    public static WalWriter ofTwoVoters(Path data) {
        return new WalWriter(data)
                .segment(0)
                .metadata(NODE, CLUSTER)
                .snapshotMark(0, 0)
                .confChange(1, 1, 0, NODE)
                .confChange(1, 2, 0, PEER)
                .state(1, 0, 2)
                .state(2, PEER, 2);
    }

    public WalWriter segment(long index) {
        try {
            Files.createDirectories(data.resolve("member/wal"));
            Files.createDirectories(data.resolve("member/snap"));
            segment = data.resolve("member/wal/%016x-%016x.wal".formatted(sequence++, index));
            Files.createFile(segment);
            offsets.clear();
            return raw(message(4, (int) everything.getValue(), null));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public WalWriter metadata(long node, long cluster) {
        return record(1, join(number(1, node), number(2, cluster)));
    }

    public WalWriter entry(long term, long index, String value) {
        return entry(0, term, index, value.getBytes(StandardCharsets.UTF_8));
    }

    public WalWriter confChange(long term, long index, int kind, long node) {
        return entry(1, term, index, join(number(1, 77), number(2, kind), number(3, node)));
    }

    public WalWriter entry(int type, long term, long index, byte[] value) {
        return record(2, join(number(1, type), number(2, term), number(3, index), bytes(4, value)));
    }

    public WalWriter state(long term, long vote, long commit) {
        return record(3, join(number(1, term), number(2, vote), number(3, commit)));
    }

    public WalWriter snapshotMark(long term, long index) {
        return record(5, join(number(1, index), number(2, term)));
    }

    public WalWriter snapshotFile(long term, long index, List<Long> voters, List<Long> learners) {
        byte[] conf = new byte[0];
        for (long voter : voters) {
            conf = join(conf, number(1, voter));
        }
        for (long learner : learners) {
            conf = join(conf, number(2, learner));
        }
        byte[] metadata = join(bytes(1, conf), number(2, index), number(3, term));
        byte[] snapshot = join(bytes(1, new byte[] {1, 2, 3}), bytes(2, metadata));
        CRC32C crc = new CRC32C();
        crc.update(snapshot);
        try {
            Files.write(
                    data.resolve("member/snap/%016x-%016x.snap".formatted(term, index)),
                    join(number(1, crc.getValue()), bytes(2, snapshot)));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public WalWriter record(int type, byte[] content) {
        everything.update(content);
        return raw(message(type, (int) everything.getValue(), content));
    }

    /** Prepared space, as etcd allocates it. */
    public WalWriter zeros(int count) {
        return append(new byte[count]);
    }

    public WalWriter append(byte[] content) {
        try {
            Files.write(segment, content, StandardOpenOption.APPEND);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path file() {
        return segment;
    }

    /** Where the nth record of the current segment begins, counted from 0, or from the end. */
    public long offset(int record) {
        return offsets.get(record < 0 ? offsets.size() + record : record);
    }

    public long size() {
        try {
            return Files.size(segment);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void overwrite(long offset, byte[] content) {
        try (var channel = Files.newByteChannel(segment, StandardOpenOption.WRITE)) {
            channel.position(offset).write(ByteBuffer.wrap(content));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private WalWriter raw(byte[] message) {
        offsets.add(size());
        int padding = (8 - message.length % 8) % 8;
        ByteBuffer frame =
                ByteBuffer.allocate(8 + message.length + padding).order(ByteOrder.LITTLE_ENDIAN);
        frame.putInt(message.length).put(new byte[3]);
        frame.put((byte) (padding == 0 ? 0 : 0x80 + padding)).put(message);
        return append(frame.array());
    }

    private static byte[] message(int type, int crc, byte @Nullable [] d) {
        byte[] head = join(number(1, type), number(2, Integer.toUnsignedLong(crc)));
        return d == null ? head : join(head, bytes(3, d));
    }

    private static byte[] number(int field, long value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(field * 8);
        varint(out, value);
        return out.toByteArray();
    }

    private static byte[] bytes(int field, byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(field * 8 + 2);
        varint(out, value.length);
        out.writeBytes(value);
        return out.toByteArray();
    }

    private static void varint(ByteArrayOutputStream out, long value) {
        String bits = Long.toBinaryString(value);
        for (int end = bits.length(); end > 0; end -= 7) {
            int group = Integer.parseInt(bits.substring(Math.max(0, end - 7), end), 2);
            out.write(end > 7 ? group + 128 : group);
        }
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
