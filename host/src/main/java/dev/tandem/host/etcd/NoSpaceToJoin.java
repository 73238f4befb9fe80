package dev.tandem.host.etcd;

import dev.tandem.core.Failure;
import java.nio.file.Path;

/** A disk that has no room for the leader's data, in words. */
public final class NoSpaceToJoin {
    private static final String WHAT = "not enough space in ";

    /** What a person does about it. */
    public static final String REMEDY =
            "free space on the disk of /var/lib/etcd; to see which replicas are kept there:"
                    + " tandem replicas list";

    /** etcd allocates its log in segments of this size, one ahead of what it writes to. */
    public static final long SEGMENT_BYTES = 64L << 20;

    private NoSpaceToJoin() {}

    /**
     * What has to be free before a node joins: the leader sends its whole database, and the log
     * begins with two segments.
     *
     * @param databaseBytes of the leader
     */
    public static long neededBytes(long databaseBytes) {
        return databaseBytes + 2 * SEGMENT_BYTES;
    }

    static Failure of(Path disk, String leader, long neededBytes, long freeBytes) {
        return new Failure(
                WHAT + disk,
                "%d MB are needed for the database and log of %s, and %d MB are free"
                        .formatted(neededBytes >> 20, leader, freeBytes >> 20),
                REMEDY);
    }

    /** Whether that is what could not be done, by the text that the supervisor keeps of it. */
    public static boolean isTold(String trouble) {
        return trouble.startsWith(WHAT);
    }
}
