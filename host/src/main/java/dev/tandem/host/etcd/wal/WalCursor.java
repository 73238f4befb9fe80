package dev.tandem.host.etcd.wal;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Walks over one segment through a window of fixed size: neither a segment nor one huge record is
 * ever held as a whole. It reads rather than maps, because a live etcd shortens segments ({@link
 * Shortened}), and a mapping would then kill the reader.
 */
public final class WalCursor implements AutoCloseable {
    /** etcd accepts requests of 1.5 MiB by default; most records are far smaller. */
    private static final int WINDOW_BYTES = 1 << 20;

    /** Enough for type and checksum of a record, and for type, term and index of an entry. */
    private static final int HEAD_BYTES = 256;

    /** The smallest unit a disk writes as a whole, by etcd's assumption and ours. */
    private static final int SECTOR_BYTES = 512;

    private final Path segment;
    private final FileChannel channel;
    private final long size;
    private final Arena memory = Arena.ofConfined();
    private final ByteBuffer window;
    private final ByteBuffer zeros;
    private long windowStart;
    private long offset;

    /** What stands at the cursor. */
    public sealed interface Step {}

    public record Good(WalRecord entry) implements Step {}

    /** No further record: the file ends, or prepared space begins. */
    record Finish() implements Step {}

    /** Something that is no good record. */
    record Bad(String why, boolean torn) implements Step {}

    /** A server that runs took prepared space back while it was read. */
    static final class Shortened extends IOException {
        private static final long serialVersionUID = 1L;

        Shortened(Path segment) {
            super(segment.getFileName() + " became shorter while it was read");
        }
    }

    public WalCursor(Path segment) throws IOException {
        this.segment = segment;
        channel = FileChannel.open(segment, StandardOpenOption.READ);
        size = channel.size();
        window =
                memory.allocate(Math.clamp(size, 1, WINDOW_BYTES))
                        .asByteBuffer()
                        .order(ByteOrder.LITTLE_ENDIAN);
        window.limit(0);
        zeros = memory.allocate(window.capacity()).asByteBuffer();
    }

    /** The place after the last good record. */
    public long offset() {
        return offset;
    }

    /** Reads the next record and checks it against the chain, which then includes it. */
    public Step next(CrcChain chain) throws IOException {
        if (offset == size) {
            return new Finish();
        }
        if (size - offset < WalRecord.FRAME_BYTES) {
            return new Bad("the file ends inside a frame", true);
        }
        long frame = at(offset, WalRecord.FRAME_BYTES).getLong();
        if (frame == 0) {
            return new Finish();
        }
        long length = WalRecord.recordBytes(frame);
        long start = offset + WalRecord.FRAME_BYTES;
        long end = start + length + WalRecord.paddingBytes(frame);
        if (end > size) {
            return new Bad(
                    "a record of %d bytes stands where only %d are left"
                            .formatted(length, size - start),
                    !recordsInside(offset + WalRecord.FRAME_BYTES, size));
        }
        WalRecord found;
        try {
            found = parse(offset, start, length, end);
        } catch (Malformed e) {
            return new Bad(e.why(), torn(start, end));
        }
        if (found.type() != WalRecord.CRC) {
            check(found, start + length - found.dataBytes(), chain);
            if (chain.value() != found.crc()) {
                return new Bad(
                        "the checksum is %08x, the record says %08x"
                                .formatted(chain.value(), found.crc()),
                        torn(start, end));
            }
        }
        offset = end;
        return new Good(found);
    }

    /** Whether anything but zeros stands between the cursor and the end of the file. */
    boolean somethingFollows() throws IOException {
        return !zero(offset, size);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        memory.close();
    }

    private WalRecord parse(long at, long start, long length, long end)
            throws IOException, Malformed {
        ProtoReader message = new ProtoReader(at(start, (int) Math.min(length, HEAD_BYTES)));
        if (!message.next() || message.field() != 1) {
            throw new Malformed("the record does not begin with its type");
        }
        long type = message.varint();
        if (type < WalRecord.METADATA || type > WalRecord.SNAPSHOT) {
            throw new Malformed("the record has the unknown type " + type);
        }
        if (!message.next() || message.field() != 2) {
            throw new Malformed("the record has no checksum");
        }
        long crc = message.varint();
        if (crc >>> 32 != 0) {
            throw new Malformed("the checksum has more than 32 bits");
        }
        if (message.position() == length) {
            return new WalRecord(at, (int) type, (int) crc, ByteBuffer.allocate(0), 0, end);
        }
        if (!message.next() || message.field() != 3) {
            throw new Malformed("the record has an unknown field");
        }
        long data = message.bytesLength();
        if (message.position() + data != length) {
            throw new Malformed(
                    "the record holds %d bytes of data in a message of %d".formatted(data, length));
        }
        ByteBuffer head;
        if (data <= window.capacity()) {
            head = at(start + length - data, (int) data);
        } else {
            // The window will move over the rest of the data; what its reader wants is copied.
            head = ByteBuffer.allocate(HEAD_BYTES);
            head.put(at(start + length - data, HEAD_BYTES)).flip();
        }
        return new WalRecord(at, (int) type, (int) crc, head, data, end);
    }

    private void check(WalRecord found, long dataStart, CrcChain chain) throws IOException {
        if (found.whole()) {
            chain.update(found.head().duplicate());
            return;
        }
        for (long done = 0; done < found.dataBytes(); ) {
            ByteBuffer part =
                    at(
                            dataStart + done,
                            (int) Math.min(found.dataBytes() - done, window.capacity()));
            done += part.remaining();
            chain.update(part);
        }
    }

    /**
     * Whether a bad record of the last segment may be an unfinished write. A write that did not
     * reach the disk as a whole leaves sectors of zeros in prepared space. But a damaged length
     * that swallows good records and the zeros behind them looks just so, and etcd's own repair
     * would cut all of them off: records inside the claimed extent prove that it is damage.
     */
    private boolean torn(long start, long end) throws IOException {
        boolean zeroSector = false;
        for (long from = start; from < end && !zeroSector; ) {
            long to = Math.min(end, from - from % SECTOR_BYTES + SECTOR_BYTES);
            zeroSector = zero(from, to);
            from = to;
        }
        return zeroSector && !recordsInside(start, end);
    }

    /** Looks for two records in a row of which the second continues the first one's checksum. */
    private boolean recordsInside(long start, long end) throws IOException {
        for (long at = (start + 7) / 8 * 8; at + 2L * WalRecord.FRAME_BYTES <= end; at += 8) {
            WalRecord first = plausible(at, end);
            if (first == null) {
                continue;
            }
            int crc = first.crc();
            WalRecord second = plausible(first.end(), end);
            if (second != null && second.whole() && second.dataBytes() > 0) {
                CrcChain chain = new CrcChain(crc);
                chain.update(second.head().duplicate());
                if (chain.value() == second.crc()) {
                    return true;
                }
            }
        }
        return false;
    }

    private @Nullable WalRecord plausible(long at, long end) throws IOException {
        if (at + WalRecord.FRAME_BYTES > end) {
            return null;
        }
        long frame = at(at, WalRecord.FRAME_BYTES).getLong();
        long length = WalRecord.recordBytes(frame);
        int padding = WalRecord.paddingBytes(frame);
        long start = at + WalRecord.FRAME_BYTES;
        if (length < 4 || length > end - start - padding || (length + padding) % 8 != 0) {
            return null;
        }
        try {
            return parse(at, start, length, start + length + padding);
        } catch (Malformed e) {
            return null;
        }
    }

    /**
     * Whether there are only zeros. A segment's prepared space is up to 64 MiB of them, looked at
     * in the middle of a recovery by code that was hardly ever run before: so in large steps.
     */
    private boolean zero(long start, long end) throws IOException {
        for (long at = start; at < end; ) {
            ByteBuffer part = at(at, (int) Math.min(end - at, window.capacity()));
            at += part.remaining();
            if (part.mismatch(zeros.slice(0, part.remaining())) >= 0) {
                return false;
            }
        }
        return true;
    }

    /** A view of these bytes, good until the next call. */
    private ByteBuffer at(long start, int length) throws IOException {
        long end = start + length;
        if (start < windowStart || end > windowStart + window.limit()) {
            window.clear();
            if (size - start < window.capacity()) {
                window.limit((int) (size - start));
            }
            windowStart = start;
            while (window.hasRemaining()) {
                if (channel.read(window, start + window.position()) < 0) {
                    break;
                }
            }
            window.flip();
            if (window.limit() < length) {
                throw new Shortened(segment);
            }
        }
        return window.slice((int) (start - windowStart), length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
