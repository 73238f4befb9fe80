package dev.tandem.host.etcd.wal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One record of a segment: an eight-byte frame (56 bits of length, and in the top byte how many
 * bytes of padding follow), then the message (type, checksum, data), padded to eight bytes so that
 * no frame ever crosses a sector.
 *
 * @param head the data, or its first bytes where it is larger than the reader's window
 */
public record WalRecord(long offset, int type, int crc, ByteBuffer head, long dataBytes, long end) {
    static final int METADATA = 1;
    public static final int ENTRY = 2;
    public static final int STATE = 3;
    public static final int CRC = 4;
    static final int SNAPSHOT = 5;

    public static final int FRAME_BYTES = 8;

    boolean whole() {
        return head.remaining() == dataBytes;
    }

    static long recordBytes(long frame) {
        return frame & 0x00ff_ffff_ffff_ffffL;
    }

    static int paddingBytes(long frame) {
        return frame < 0 ? (int) (frame >>> 56) & 7 : 0;
    }

    /** A whole record as etcd's encoder would write it after data with the checksum before it. */
    public static byte[] encode(int type, byte[] data, int crcBefore) {
        CrcChain chain = new CrcChain(crcBefore);
        chain.update(ByteBuffer.wrap(data));
        ByteBuffer message = ByteBuffer.allocate(data.length + 32);
        putVarint(message.put((byte) 0x08), type);
        putVarint(message.put((byte) 0x10), Integer.toUnsignedLong(chain.value()));
        putVarint(message.put((byte) 0x1a), data.length);
        message.put(data).flip();

        int length = message.remaining();
        int padding = (8 - length % 8) % 8;
        long frame = padding == 0 ? length : length | (long) (0x80 | padding) << 56;
        return ByteBuffer.allocate(FRAME_BYTES + length + padding)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(frame)
                .put(message)
                .array();
    }

    public static byte[] encodeHardState(ReplicaLog.HardState state) {
        ByteBuffer message = ByteBuffer.allocate(40);
        putVarint(message.put((byte) 0x08), state.term());
        putVarint(message.put((byte) 0x10), state.vote().bits());
        putVarint(message.put((byte) 0x18), state.commit());
        byte[] bytes = new byte[message.flip().remaining()];
        message.get(bytes);
        return bytes;
    }

    public static void putVarint(ByteBuffer out, long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }
}
