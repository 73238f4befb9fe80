package dev.tandem.host.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.testing.PrintedCommands;
import dev.tandem.host.etcd.ReplicaDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What node-0 says of the room on its disks. */
class DiskImpedimentsTest {
    private static final long MIB = 1L << 20;

    private static DiskWatch.Rooms rooms(long etcdFree, long kept, long stateFree) {
        return new DiskWatch.Rooms(
                Optional.of(new DiskRoom(Path.of("/var/lib/etcd"), etcdFree, kept)),
                Optional.of(new DiskRoom(Path.of("/var/lib/tandem"), stateFree, 0)));
    }

    private static Impediments of(
            DiskWatch.Rooms rooms, long databaseBytes, boolean storesNothing) {
        return DiskImpediments.of(rooms, databaseBytes, storesNothing, "node-0", "node-1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            nullValues = "-",
            textBlock =
                    """
                    etcd | kept | database | state | impediment | warning
                    # a join needs the database and 128 MB
                    428  | 0    | 300      | 24    | -          | -
                    427  | 0    | 300      | 24    | -          | DISK_NEARLY_FULL
                    100  | 328  | 300      | 24    | -          | -
                    100  | 327  | 300      | 24    | -          | DISK_NEARLY_FULL
                    # a take-over needs 80 MB, and nothing is given up for it
                    80   | 900  | 300      | 24    | -          | -
                    79   | 900  | 300      | 24    | DISK_FULL  | -
                    0    | 0    | 300      | 24    | DISK_FULL  | -
                    # the agent's own
                    999  | 0    | 300      | 23    | -          | DISK_NEARLY_FULL
                    999  | 0    | 300      | 1     | -          | DISK_NEARLY_FULL
                    999  | 0    | 300      | 0     | DISK_FULL  | -
                    """)
    void isFoundAndNothingElse(
            long etcd, long kept, long database, long state, Cause impediment, Cause warning) {
        Impediments found = of(rooms(etcd * MIB, kept * MIB, state * MIB), database * MIB, false);

        assertThat(found.impediments())
                .extracting(Impediment::cause)
                .containsExactlyElementsOf(Stream.ofNullable(impediment).toList());
        assertThat(found.warnings())
                .extracting(Impediment::cause)
                .containsExactlyElementsOf(Stream.ofNullable(warning).toList());
    }

    @Test
    void bothDisksAreToldWithWhatIsFreeAndWhatIsNeeded() {
        Impediments full = of(rooms(12 * MIB, 0, 1000), 0, false);
        Impediments nearly = of(rooms(100 * MIB, 20 * MIB, 9 * MIB), 40 * MIB, false);

        assertThat(full.impediments())
                .extracting(Impediment::sentence)
                .containsExactly(
                        "the disk of /var/lib/etcd on node-0 has 12 MB free, and etcd needs 80 MB"
                                + " to go on after a take-over",
                        "the disk of /var/lib/tandem on node-0 has 0 MB free, and tandem-agent"
                                + " needs 1 MB to store a take-over");
        assertThat(full.impediments())
                .extracting(Impediment::failureOf)
                .containsOnly(Optional.of("node-1"));
        assertThat(nearly.warnings())
                .extracting(Impediment::sentence)
                .containsExactly(
                        "the disk of /var/lib/etcd on node-0 has 100 MB free, besides 20 MB in"
                            + " replicas that were set aside, and node-0 needs 168 MB to join again"
                            + " after a failure",
                        "the disk of /var/lib/tandem on node-0 has 9 MB free, and the journal of"
                                + " tandem-agent may need 24 MB");
        assertThat(Stream.of(full.impediments(), nearly.warnings()).flatMap(List::stream))
                .allSatisfy(each -> {
                    assertThat(PrintedCommands.faults(each.sentence() + ".")).isEmpty();
                    assertThat(PrintedCommands.faults("Fix: " + each.remedy())).isEmpty();
                    assertThat(each.cause().runbook()).isNotNull();
                });
    }

    @Test
    void whatIsNotKnownYetOrToldAlreadyIsNotTold() {
        assertThat(of(DiskWatch.Rooms.UNKNOWN, 0, false).automatic()).isTrue();
        assertThat(of(rooms(999 * MIB, 0, 0), 0, true).impediments())
                .as("that nothing can be stored is a cause of its own")
                .isEmpty();
    }

    @Test
    void theRoomIsThatOfTheFileSystemsAndOfWhatIsKeptOnThem(@TempDir Path directory)
            throws IOException {
        Path state = Files.createDirectory(directory.resolve("state"));
        Path replicas = directory.resolve("etcd");
        DiskWatch watch =
                new DiskWatch(new ReplicaDirectory(replicas, InstantSource.system()), state);
        assertThat(watch.rooms()).isEqualTo(DiskWatch.Rooms.UNKNOWN);

        watch.look();
        assertThat(watch.rooms().replicas().orElseThrow().keptBytes()).isZero();

        Path kept = Files.createDirectories(replicas.resolve("kept").resolve("old/member/wal"));
        Files.write(kept.resolve("0.wal"), new byte[3000]);
        watch.look();
        assertThat(watch.rooms().replicas().orElseThrow())
                .satisfies(room -> {
                    assertThat(room.directory()).isEqualTo(replicas);
                    assertThat(room.keptBytes()).isEqualTo(3000);
                    assertThat(room.freeBytes()).isPositive();
                });
        assertThat(watch.rooms().state().orElseThrow().freeBytes()).isPositive();
    }
}
