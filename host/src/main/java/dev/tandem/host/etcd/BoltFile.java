package dev.tandem.host.etcd;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;

/**
 * A database file of bbolt, in which etcd keeps its store, while nobody has it open: finds a value
 * of a top-level bucket and can overwrite it with another one of the same length.
 *
 * <p>That much is safe without knowing how bbolt allocates: a page has no checksum but for the two
 * that name the root, and a value that keeps its length moves nothing. The format (version 2) has
 * been the same since 2014, for etcd 3.0 to 3.6. Whatever does not look like it is refused.
 */
public final class BoltFile implements AutoCloseable {
    private static final int MAGIC = 0xED0CDAED;
    private static final int VERSION = 2;
    private static final int PAGE_HEADER = 16;
    private static final int ELEMENT = 16;
    private static final int BUCKET_HEADER = 16;
    private static final int META_BYTES = 64;
    private static final int SMALLEST_PAGE = 1 << 10;
    private static final int LARGEST_PAGE = 1 << 16;
    private static final int BRANCH = 0x01;
    private static final int LEAF = 0x02;
    private static final int IS_BUCKET = 0x01;

    /** No tree that fits on a disk is as deep. */
    private static final int DEEPEST = 32;

    /** Pages of the top level and of small buckets are a few kilobytes. */
    private static final long LARGEST_NODE = 64L << 20;

    private final Path file;
    private final FileChannel channel;
    private final Meta meta;

    /** A value, and where in the file it stands. */
    public static final class Value {
        private final long offset;
        private final byte[] bytes;

        private Value(long offset, byte[] bytes) {
            this.offset = offset;
            this.bytes = bytes;
        }

        long offset() {
            return offset;
        }

        public byte[] bytes() {
            return bytes.clone();
        }
    }

    private record Meta(int pageSize, long root, long transaction) {}

    /** A page, or a part of one, and where in the file it begins. */
    private record Node(ByteBuffer bytes, long offset) {
        int flags() {
            return Short.toUnsignedInt(bytes.getShort(8));
        }

        int count() {
            return Short.toUnsignedInt(bytes.getShort(10));
        }

        int element(int index) {
            return PAGE_HEADER + index * ELEMENT;
        }

        byte[] part(int at, int length) {
            byte[] part = new byte[length];
            bytes.get(at, part);
            return part;
        }
    }

    private BoltFile(Path file, FileChannel channel, Meta meta) {
        this.file = file;
        this.channel = channel;
        this.meta = meta;
    }

    public static BoltFile open(Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            return new BoltFile(file, channel, meta(file, channel));
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** The newer of the two pages that name the root; one may be torn. */
    private static Meta meta(Path file, FileChannel channel) throws IOException {
        Optional<Meta> first = meta(channel, 0);
        if (first.isPresent()) {
            Meta known = first.get();
            return meta(channel, known.pageSize())
                    .filter(second -> second.pageSize() == known.pageSize())
                    .filter(second -> second.transaction() > known.transaction())
                    .orElse(known);
        }
        // It is torn, and with it how large a page is.
        for (int size = SMALLEST_PAGE; size <= LARGEST_PAGE; size *= 2) {
            Optional<Meta> second = meta(channel, size);
            if (second.isPresent() && second.get().pageSize() == size) {
                return second.get();
            }
        }
        throw new IOException(file + " is not a database of bbolt");
    }

    private static Optional<Meta> meta(FileChannel channel, long page) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(META_BYTES).order(ByteOrder.nativeOrder());
        if (readAt(channel, bytes, page + PAGE_HEADER) < META_BYTES) {
            return Optional.empty();
        }
        int pageSize = bytes.getInt(8);
        boolean good =
                bytes.getInt(0) == MAGIC
                        && bytes.getInt(4) == VERSION
                        && Integer.bitCount(pageSize) == 1
                        && pageSize >= SMALLEST_PAGE
                        && pageSize <= LARGEST_PAGE
                        && bytes.getLong(META_BYTES - 8) == checksum(bytes, META_BYTES - 8);
        return good
                ? Optional.of(new Meta(pageSize, bytes.getLong(16), bytes.getLong(48)))
                : Optional.empty();
    }

    /** FNV-1a with 64 bits. */
    private static long checksum(ByteBuffer bytes, int length) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < length; i++) {
            hash = (hash ^ Byte.toUnsignedLong(bytes.get(i))) * 0x100000001b3L;
        }
        return hash;
    }

    /** The value of a key in a bucket, if both are there. */
    public Optional<Value> find(String bucket, byte[] key) throws IOException {
        try {
            Optional<Value> header =
                    inTree(meta.root(), bucket.getBytes(StandardCharsets.UTF_8), true);
            if (header.isEmpty()) {
                return Optional.empty();
            }
            byte[] bytes = header.get().bytes();
            if (bytes.length < BUCKET_HEADER) {
                throw damaged("the bucket " + bucket + " has no root");
            }
            long root = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong(0);
            if (root != 0) {
                return inTree(root, key, false);
            }
            // A small bucket stands in the place of its root, as a page of its own.
            ByteBuffer inline =
                    ByteBuffer.wrap(bytes, BUCKET_HEADER, bytes.length - BUCKET_HEADER)
                            .slice()
                            .order(ByteOrder.nativeOrder());
            return inLeaf(new Node(inline, header.get().offset() + BUCKET_HEADER), key, false);
        } catch (IndexOutOfBoundsException | NegativeArraySizeException e) {
            throw damaged("an element lies outside its page");
        }
    }

    private Optional<Value> inTree(long root, byte[] key, boolean bucket) throws IOException {
        long at = root;
        for (int depth = 0; depth < DEEPEST; depth++) {
            Node node = node(at);
            if (node.flags() == LEAF) {
                return inLeaf(node, key, bucket);
            }
            if (node.flags() != BRANCH || node.count() == 0) {
                throw damaged("page " + at + " is of no tree");
            }
            at = child(node, key);
        }
        throw damaged("its tree has no end");
    }

    /** The last child that does not begin after the key. */
    private static long child(Node node, byte[] key) {
        int chosen = 0;
        for (int i = 1; i < node.count(); i++) {
            int element = node.element(i);
            byte[] first =
                    node.part(
                            element + node.bytes().getInt(element),
                            node.bytes().getInt(element + 4));
            if (Arrays.compareUnsigned(first, key) > 0) {
                break;
            }
            chosen = i;
        }
        return node.bytes().getLong(node.element(chosen) + 8);
    }

    private Optional<Value> inLeaf(Node node, byte[] key, boolean bucket) throws IOException {
        if (node.flags() != LEAF) {
            throw damaged("a page of values is none");
        }
        for (int i = 0; i < node.count(); i++) {
            int element = node.element(i);
            int keyAt = element + node.bytes().getInt(element + 4);
            int keyLength = node.bytes().getInt(element + 8);
            if (keyLength == key.length
                    && Arrays.equals(node.part(keyAt, keyLength), key)
                    && (node.bytes().getInt(element) & IS_BUCKET) == (bucket ? IS_BUCKET : 0)) {
                int valueAt = keyAt + keyLength;
                return Optional.of(
                        new Value(
                                node.offset() + valueAt,
                                node.part(valueAt, node.bytes().getInt(element + 12))));
            }
        }
        return Optional.empty();
    }

    private Node node(long page) throws IOException {
        long offset = page * meta.pageSize();
        ByteBuffer header = ByteBuffer.allocate(PAGE_HEADER).order(ByteOrder.nativeOrder());
        if (page < 2
                || offset / meta.pageSize() != page
                || readAt(channel, header, offset) < PAGE_HEADER
                || header.getLong(0) != page) {
            throw damaged("there is no page " + page);
        }
        long length = (1 + Integer.toUnsignedLong(header.getInt(12))) * meta.pageSize();
        if (length > LARGEST_NODE) {
            throw damaged("page %d has %d bytes".formatted(page, length));
        }
        ByteBuffer bytes = ByteBuffer.allocate((int) length).order(ByteOrder.nativeOrder());
        if (readAt(channel, bytes, offset) < length) {
            throw damaged("page " + page + " is cut off");
        }
        return new Node(bytes, offset);
    }

    /**
     * Replaces a value that was found here. When this returns it is on the disk, and was read back.
     */
    public void overwrite(Value old, byte[] with) throws IOException {
        if (with.length != old.bytes().length) {
            throw new IllegalArgumentException(
                    "%d bytes do not take the place of %d"
                            .formatted(with.length, old.bytes().length));
        }
        ByteBuffer bytes = ByteBuffer.wrap(with);
        while (bytes.hasRemaining()) {
            channel.write(bytes, old.offset() + bytes.position());
        }
        channel.force(true);
        ByteBuffer there = ByteBuffer.allocate(with.length);
        if (readAt(channel, there, old.offset()) < with.length
                || !Arrays.equals(there.array(), with)) {
            throw new IOException(
                    "read back, %s does not hold what was written at byte %d"
                            .formatted(file, old.offset()));
        }
    }

    private static int readAt(FileChannel channel, ByteBuffer into, long offset)
            throws IOException {
        while (into.hasRemaining()) {
            if (channel.read(into, offset + into.position()) < 0) {
                break;
            }
        }
        return into.position();
    }

    private IOException damaged(String why) {
        return new IOException("the database " + file + " is damaged: " + why);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
