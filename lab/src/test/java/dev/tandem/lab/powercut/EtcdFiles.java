package dev.tandem.lab.powercut;

import dev.tandem.host.etcd.api.EtcdId;
import dev.tandem.host.etcd.wal.ReplicaLog.HardState;
import dev.tandem.host.etcd.wal.WalRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** The smallest log and the smallest database that etcd of a pair could have left. */
final class EtcdFiles {
    private static final long NODE = 11;
    private static final long PEER = 12;
    private static final int METADATA = 1;
    private static final int SNAPSHOT = 5;
    private static final int PAGE = 4096;
    private static final int PAGE_HEADER = 16;
    private static final int ELEMENT = 16;
    private static final int LEAF = 2;

    private final ByteArrayOutputStream records = new ByteArrayOutputStream();
    private final CRC32C everything = new CRC32C();

    private EtcdFiles() {}

    /** Two voters and an entry, 3, behind the commit index; then space that etcd has prepared. */
    static void writeLog(Path data) throws IOException {
        EtcdFiles log = new EtcdFiles();
        log.records.writeBytes(WalRecord.encode(WalRecord.CRC, new byte[0], 0));
        log.record(METADATA, join(number(1, NODE), number(2, 13)))
                .record(SNAPSHOT, join(number(1, 0), number(2, 0)))
                .entry(1, 1, voter(NODE))
                .entry(1, 2, voter(PEER))
                .record(
                        WalRecord.STATE,
                        WalRecord.encodeHardState(new HardState(2, new EtcdId(PEER), 2)))
                .entry(0, 3, "acknowledged".getBytes(StandardCharsets.UTF_8));
        log.records.writeBytes(new byte[2 * PAGE]);
        Files.createDirectories(data.resolve("member/snap"));
        Files.createDirectories(data.resolve("member/wal"));
        Files.write(
                data.resolve("member/wal/0000000000000000-0000000000000000.wal"),
                log.records.toByteArray());
    }

    private EtcdFiles record(int type, byte[] content) {
        records.writeBytes(WalRecord.encode(type, content, (int) everything.getValue()));
        everything.update(content);
        return this;
    }

    private EtcdFiles entry(int type, long index, byte[] value) {
        return record(
                WalRecord.ENTRY,
                join(number(1, type), number(2, 2), number(3, index), bytes(4, value)));
    }

    private static byte[] voter(long node) {
        return join(number(1, 77), number(2, 0), number(3, node));
    }

    private static byte[] number(int field, long value) {
        ByteBuffer out = ByteBuffer.allocate(11).put((byte) (field * 8));
        WalRecord.putVarint(out, value);
        return taken(out);
    }

    private static byte[] bytes(int field, byte[] value) {
        ByteBuffer out = ByteBuffer.allocate(value.length + 11).put((byte) (field * 8 + 2));
        WalRecord.putVarint(out, value.length);
        return taken(out.put(value));
    }

    private static byte[] taken(ByteBuffer out) {
        byte[] all = new byte[out.flip().remaining()];
        out.get(all);
        return all;
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    /** A database of bbolt with one bucket, that stands in its parent's page, and one value. */
    static void writeDatabase(Path file, String bucket, String key, byte[] value)
            throws IOException {
        byte[] inner = leaf(0, key, value, 0);
        // Its header: no page of its own, and no sequence.
        byte[] inline = join(new byte[16], inner);
        byte[] database = new byte[3 * PAGE];
        ByteBuffer all = ByteBuffer.wrap(database).order(ByteOrder.nativeOrder());
        for (int page = 0; page < 2; page++) {
            ByteBuffer meta = all.slice(page * PAGE + PAGE_HEADER, 64).order(all.order());
            meta.putInt(0, 0xED0CDAED).putInt(4, 2).putInt(8, PAGE).putLong(16, 2);
            meta.putLong(48, page);
            meta.putLong(56, checksum(meta, 56));
        }
        all.put(2 * PAGE, leaf(2, bucket, inline, 1));
        Files.write(file, database);
    }

    private static byte[] leaf(long page, String key, byte[] value, int flags) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out =
                ByteBuffer.allocate(PAGE_HEADER + ELEMENT + name.length + value.length)
                        .order(ByteOrder.nativeOrder());
        out.putLong(page).putShort((short) LEAF).putShort((short) 1).putInt(0);
        out.putInt(flags).putInt(ELEMENT).putInt(name.length).putInt(value.length);
        return out.put(name).put(value).array();
    }

    /** FNV-1a with 64 bits. */
    private static long checksum(ByteBuffer bytes, int length) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < length; i++) {
            hash = (hash ^ Byte.toUnsignedLong(bytes.get(i))) * 0x100000001b3L;
        }
        return hash;
    }
}
