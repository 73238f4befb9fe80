package dev.tandem.host.etcd.wal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The running CRC32C of a write-ahead log. Each record carries the checksum of all record data up
 * to and including its own, so a record can only be checked, and only be appended, in its place.
 */
public final class CrcChain {
    private static final int POLYNOMIAL = 0x82f63b78;
    private static final int[] TABLE = table();

    private final CRC32C crc = new CRC32C();

    /** A chain that continues from a checksum somebody else computed. */
    public CrcChain(int seed) {
        // The JDK's CRC32C cannot be started from a value, but four bytes reach every value there
        // is: feed the four that lead to this one, and go on from there with the intrinsic.
        crc.update(leadingTo(seed));
    }

    void update(ByteBuffer data) {
        crc.update(data);
    }

    int value() {
        return (int) crc.getValue();
    }

    /**
     * The four bytes whose CRC32C is {@code target}: the register is run backwards to its start.
     */
    private static byte[] leadingTo(int target) {
        int register = ~target;
        for (int i = 0; i < 4; i++) {
            int index = indexWithTopByte(register >>> 24);
            register = ((register ^ TABLE[index]) << 8) | index;
        }
        register = ~register;
        return new byte[] {
            (byte) register,
            (byte) (register >>> 8),
            (byte) (register >>> 16),
            (byte) (register >>> 24)
        };
    }

    private static int indexWithTopByte(int top) {
        for (int i = 0; i < TABLE.length; i++) {
            if (TABLE[i] >>> 24 == top) {
                return i;
            }
        }
        throw new IllegalStateException("a CRC table holds every top byte once");
    }

    private static int[] table() {
        int[] table = new int[256];
        for (int i = 0; i < table.length; i++) {
            int value = i;
            for (int bit = 0; bit < 8; bit++) {
                value = (value & 1) == 0 ? value >>> 1 : (value >>> 1) ^ POLYNOMIAL;
            }
            table[i] = value;
        }
        return table;
    }
}
