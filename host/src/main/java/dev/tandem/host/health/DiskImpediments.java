package dev.tandem.host.health;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.host.etcd.NoSpaceToJoin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Which disks of this node would fail a recovery for want of room, or the return after one. */
public final class DiskImpediments {
    /**
     * By this bbolt, in which etcd has its database, lets a file grow that has become too short.
     */
    private static final long DATABASE_STEP_BYTES = 16L << 20;

    /**
     * A take-over starts etcd again. etcd then allocates the segment after the one it writes to,
     * and ends where it comes to it and does not have it (3.5); and its database grows.
     */
    static final long TAKE_OVER_BYTES = NoSpaceToJoin.SEGMENT_BYTES + DATABASE_STEP_BYTES;

    /**
     * The state is written beside the one before; with 600 take-overs in its lineage it has less
     * than 200 KB. What explains the take-over goes to the journal, on the same disk.
     */
    static final long STATE_BYTES = 1L << 20;

    /** Two files of 8 MB with the journal, and two of 4 MB with the recorded events. */
    static final long JOURNAL_BYTES = 24L << 20;

    private final String self;
    private final String peer;
    private final List<Impediment> impediments = new ArrayList<>();
    private final List<Impediment> warnings = new ArrayList<>();

    private DiskImpediments(String self, String peer) {
        this.self = self;
        this.peer = peer;
    }

    /**
     * Finds them.
     *
     * @param databaseBytes of this node's etcd; its peer's, which a join would copy, is about as
     *     large
     * @param storesNothing the agent has found out by writing, which is told as a cause of its own
     */
    public static Impediments of(
            DiskWatch.Rooms rooms,
            long databaseBytes,
            boolean storesNothing,
            String self,
            String peer) {
        DiskImpediments search = new DiskImpediments(self, peer);
        rooms.replicas().ifPresent(room -> search.replicas(room, databaseBytes));
        if (!storesNothing) {
            rooms.state().ifPresent(search::state);
        }
        return new Impediments(search.impediments, search.warnings);
    }

    private void replicas(DiskRoom room, long databaseBytes) {
        // Nothing is given up for a take-over: what was set aside stays until a join needs room.
        if (room.freeBytes() < TAKE_OVER_BYTES) {
            full(
                    room,
                    "and etcd needs %s to go on after a take-over".formatted(mb(TAKE_OVER_BYTES)),
                    NoSpaceToJoin.REMEDY);
            return;
        }
        long needed = NoSpaceToJoin.neededBytes(databaseBytes);
        if (room.freeBytes() + room.keptBytes() < needed) {
            nearlyFull(
                    room,
                    (room.keptBytes() == 0
                                    ? ""
                                    : "besides %s in replicas that were set aside, "
                                            .formatted(mb(room.keptBytes())))
                            + "and %s needs %s to join again after a failure"
                                    .formatted(self, mb(needed)),
                    NoSpaceToJoin.REMEDY);
        }
    }

    private void state(DiskRoom room) {
        String remedy =
                "free space on the disk of %1$s; to see how much there is: df %1$s"
                        .formatted(room.directory());
        if (room.freeBytes() < STATE_BYTES) {
            full(
                    room,
                    "and tandem-agent needs %s to store a take-over".formatted(mb(STATE_BYTES)),
                    remedy);
        } else if (room.freeBytes() < JOURNAL_BYTES) {
            nearlyFull(
                    room,
                    "and the journal of tandem-agent may need %s".formatted(mb(JOURNAL_BYTES)),
                    remedy);
        }
    }

    private void full(DiskRoom room, String why, String remedy) {
        impediments.add(found(Cause.DISK_FULL, Optional.of(peer), room, why, remedy));
    }

    private void nearlyFull(DiskRoom room, String why, String remedy) {
        warnings.add(found(Cause.DISK_NEARLY_FULL, Optional.empty(), room, why, remedy));
    }

    private Impediment found(
            Cause cause, Optional<String> failureOf, DiskRoom room, String why, String remedy) {
        return new Impediment(
                cause,
                self,
                failureOf,
                "the disk of %s on %s has %s free, %s"
                        .formatted(room.directory(), self, mb(room.freeBytes()), why),
                remedy,
                Optional.empty());
    }

    private static String mb(long bytes) {
        return "%d MB".formatted(bytes >> 20);
    }
}
