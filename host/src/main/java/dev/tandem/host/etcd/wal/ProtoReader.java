package dev.tandem.host.etcd.wal;

import java.nio.ByteBuffer;

/**
 * Reads the few protobuf messages of etcd's files. It trusts nothing: each length is compared with
 * what is really there before it is used.
 */
final class ProtoReader {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int BYTES = 2;
    static final int FIXED32 = 5;

    private final ByteBuffer in;
    private int field;
    private int wire;

    ProtoReader(ByteBuffer in) {
        this.in = in.slice();
    }

    /** Goes to the next field; false at the end of the message. */
    boolean next() throws Malformed {
        if (!in.hasRemaining()) {
            return false;
        }
        long tag = readVarint();
        field = (int) (tag >>> 3);
        wire = (int) (tag & 7);
        if (tag >>> 32 != 0 || field == 0) {
            throw new Malformed("a field number is out of range");
        }
        return true;
    }

    int field() {
        return field;
    }

    /** Bytes from the beginning of the message to the next unread one. */
    int position() {
        return in.position();
    }

    /** The unsigned value of the field just met, all 64 bits. */
    long varint() throws Malformed {
        expect(VARINT);
        return readVarint();
    }

    /** A count or index: it must fit into the positive half. */
    long count(String name) throws Malformed {
        long value = varint();
        if (value < 0) {
            throw new Malformed(name + " is beyond 2^63");
        }
        return value;
    }

    ByteBuffer bytes() throws Malformed {
        int length = bytesLength();
        if (length > in.remaining()) {
            throw new Malformed(
                    "a field of "
                            + length
                            + " bytes stands where only "
                            + in.remaining()
                            + " are left");
        }
        ByteBuffer slice = in.slice(in.position(), length);
        in.position(in.position() + length);
        return slice;
    }

    /** The length of a bytes field whose content is left for the caller to find. */
    int bytesLength() throws Malformed {
        expect(BYTES);
        long length = readVarint();
        if (length < 0 || length > Integer.MAX_VALUE) {
            throw new Malformed("a field claims " + Long.toUnsignedString(length) + " bytes");
        }
        return (int) length;
    }

    void skip() throws Malformed {
        switch (wire) {
            case VARINT -> readVarint();
            case FIXED64 -> advance(8);
            case BYTES -> advance(bytesLength());
            case FIXED32 -> advance(4);
            default -> throw new Malformed("wire type " + wire + " is not one etcd writes");
        }
    }

    private void advance(int bytes) throws Malformed {
        if (bytes > in.remaining()) {
            throw new Malformed("the message ends in the middle of a field");
        }
        in.position(in.position() + bytes);
    }

    private void expect(int wanted) throws Malformed {
        if (wire != wanted) {
            throw new Malformed("field " + field + " has wire type " + wire + ", not " + wanted);
        }
    }

    private long readVarint() throws Malformed {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (!in.hasRemaining()) {
                throw new Malformed("the message ends in the middle of a number");
            }
            byte next = in.get();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new Malformed("a number has more than ten bytes");
    }
}
