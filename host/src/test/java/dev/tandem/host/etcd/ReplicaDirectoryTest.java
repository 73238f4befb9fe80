package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.host.etcd.wal.WalWriter;
import dev.tandem.host.etcd.wal.WriteAheadLog;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaDirectoryTest {
    private static final NodeName NORTH = new NodeName("north");
    private static final NodeName SOUTH = new NodeName("south");
    private static final BootId BOOT = new BootId("b1");
    private static final Lineage FIRST = Lineage.installed("c", NORTH, BOOT);

    @TempDir private Path root;

    private Instant now = Instant.parse("2026-11-15T21:00:00Z");
    private ReplicaDirectory replica = new ReplicaDirectory(Path.of("/"), () -> now);

    @BeforeEach
    void place() {
        replica = new ReplicaDirectory(root, () -> now);
    }

    @Test
    void nothingThereIsAMissingReplica() {
        assertThat(replica.inspect().replica()).isEqualTo(new Replica.Missing());
        assertThat(replica.setAside("join")).isEmpty();
        assertThat(replica.kept()).isEmpty();
    }

    @Test
    void theFactsComeFromTheDirectoryItself() throws IOException {
        pair(5, 4);
        replica.writeLineage(FIRST);

        assertThat(replica.inspect().replica())
                .isEqualTo(
                        new Replica.Intact(
                                FIRST,
                                2,
                                5,
                                4,
                                Replica.MemberRole.ONE_OF_TWO,
                                true,
                                WalWriter.NODE));
        assertThat(replica.inspect().freeBytes()).isPositive();
    }

    @Test
    void aReplicaThatIsSyncingIsNotCompleteUntilItIsDeclaredSo() throws IOException {
        pair(5, 4);
        replica.writeLineage(FIRST);
        replica.markIncomplete("joined north, epoch 1");

        assertThat(((Replica.Intact) replica.inspect().replica()).complete()).isFalse();
        assertThat(replica.inspect().incomplete()).contains("joined north, epoch 1");
        replica.markComplete();
        assertThat(((Replica.Intact) replica.inspect().replica()).complete()).isTrue();
    }

    @Test
    void aLogWithoutLineageOrDatabaseIsNothingToBuildOn() throws IOException {
        pair(5, 4);
        assertThat(replica.inspect().replica()).isInstanceOf(Replica.Damaged.class);

        replica.writeLineage(FIRST);
        Files.delete(replica.current().resolve("member/snap/db"));
        assertThat(replica.inspect().replica()).isInstanceOf(Replica.Damaged.class);
    }

    @Test
    void aLineageThatIsHalfAFileIsSaidToBeUnreadable() throws IOException {
        pair(5, 4);
        Files.writeString(
                replica.current().resolve("lineage.json"), "{\"format\":1,\"clusterId\":");

        assertThat(replica.inspect().lineage()).isInstanceOf(LineageFile.Unreadable.class);
    }

    private static String golden(String name) throws IOException {
        try (InputStream in = ReplicaDirectoryTest.class.getResourceAsStream("/golden/" + name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private LineageFile.Reading lineageOf(String text) throws IOException {
        replica.prepare();
        Files.writeString(replica.current().resolve("lineage.json"), text);
        return replica.inspect().lineage();
    }

    /** What the first release wrote; kept as it is, for replicas outlive the release. */
    @Test
    void aLineageOfTheFirstFormIsReadAndWrittenTheSame() throws IOException {
        Lineage lineage =
                Lineage.installed("5f1d", NORTH, BOOT).takenOver(SOUTH, new BootId("b2"), 57);

        assertThat(lineageOf(golden("1/lineage.json"))).isEqualTo(new LineageFile.Known(lineage));
        replica.writeLineage(lineage);
        assertThat(replica.current().resolve("lineage.json")).hasContent(golden("1/lineage.json"));
    }

    /** A node that goes back to this release from a later one keeps its replica. */
    @Test
    void whatALaterReleaseAddsToALineageIsIgnored() throws IOException {
        LineageFile.Reading first = lineageOf(golden("1/lineage.json"));

        assertThat(lineageOf(golden("2/lineage-with-more.json"))).isEqualTo(first);
        assertThat(lineageOf(golden("2/lineage-readable-by-1.json"))).isEqualTo(first);
        assertThat(lineageOf(golden("2/lineage-readable-by-2.json")))
                .isInstanceOfSatisfying(
                        LineageFile.Unreadable.class,
                        reading ->
                                assertThat(reading.why())
                                        .endsWith("version 2, and this release reads version 1"));
    }

    /** What is new is ignored; what is missing is not made up. */
    @Test
    void aLineageThatLacksSomethingIsUnreadable() throws IOException {
        for (String field : List.of("format", "clusterId", "epochs", "founder", "forkIndex")) {
            assertThat(
                            lineageOf(
                                    golden("1/lineage.json")
                                            .replace("\"%s\"".formatted(field), "\"mood\"")))
                    .as(field)
                    .isInstanceOf(LineageFile.Unreadable.class);
        }
    }

    @Test
    void aNoteOfAnyReleaseTellsWhyAReplicaWasSetAside() throws IOException {
        pair(5, 4);
        Path kept = replica.setAside("makes way").orElseThrow().directory();
        Path note = kept.resolve("kept.json");
        assertThat(Files.readString(note)).contains("\"version\":1");

        Files.writeString(
                note, "{\"version\":2,\"reason\":\"makes way\",\"usable\":true,\"mood\":\"good\"}");
        assertThat(replica.kept())
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.reason()).isEqualTo("makes way");
                    assertThat(each.usable()).isTrue();
                    assertThat(each.summary()).isEqualTo("unknown");
                });
    }

    @Test
    void aReplicaIsSetAsideWholeAndComesBackWhole() throws IOException {
        pair(5, 4);
        Lineage later = FIRST.takenOver(SOUTH, BOOT, 5);
        replica.writeLineage(later);

        ReplicaDirectory.Kept kept = replica.setAside("joins north's epoch 2").orElseThrow();

        assertThat(kept.name()).isEqualTo("20261115T210000.000Z-joins-north-s-epoch-2");
        assertThat(kept.usable()).isTrue();
        assertThat(kept.summary()).contains("epoch 2").contains("index 5");
        assertThat(replica.inspect().replica()).isEqualTo(new Replica.Missing());
        assertThat(Files.getPosixFilePermissions(kept.directory()))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));

        replica.restore(kept);
        assertThat(replica.inspect().lineage()).isEqualTo(new LineageFile.Known(later));
        assertThat(replica.inspect().log().lastIndex()).isEqualTo(5);
        assertThat(replica.kept()).isEmpty();
    }

    /** systemd knows nothing of the server that raises the revision. */
    @Test
    void nothingIsRestoredWhileTheRevisionIsBeingRaised() throws IOException {
        pair(5, 4);
        ReplicaDirectory.Kept first = replica.setAside("first").orElseThrow();
        pair(9, 9);

        try (ReplicaDirectory.Exclusive _ = replica.exclusively("raise the revision")) {
            assertThatThrownBy(() -> replica.restore(first))
                    .isInstanceOf(Failure.class)
                    .hasMessageContaining("cannot restore the replica")
                    .hasMessageContaining("being raised");
            assertThat(replica.inspect().log().lastIndex()).isEqualTo(9);
            assertThat(first.directory()).exists();
        }

        assertThat(replica.restore(first)).isPresent();
    }

    @Test
    void whatMakesWayForARestoredReplicaIsKeptInTurn() throws IOException {
        pair(5, 4);
        ReplicaDirectory.Kept first = replica.setAside("first").orElseThrow();
        pair(9, 9);

        ReplicaDirectory.Kept second = replica.restore(first).orElseThrow();

        assertThat(replica.inspect().log().lastIndex()).isEqualTo(5);
        assertThat(replica.owesRevisionJump())
                .as("clients may have seen what only the other one holds")
                .isTrue();
        assertThat(WriteAheadLog.read(second.directory()).lastIndex()).isEqualTo(9);
        assertThat(replica.kept()).containsExactly(second);
    }

    @Test
    void aDamagedReplicaIsNotRestoredAndTheCurrentOneStays() throws IOException {
        WalWriter writer = pair(5, 4);
        ReplicaDirectory.Kept kept = replica.setAside("first").orElseThrow();
        pair(9, 9);
        Path segment = kept.directory().resolve("member/wal").resolve(writer.file().getFileName());
        byte[] bytes = Files.readAllBytes(segment);
        bytes[100] ^= 1;
        Files.write(segment, bytes);
        assertThatThrownBy(() -> replica.restore(kept))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("cannot be relied on");
        assertThat(replica.inspect().log().lastIndex()).isEqualTo(9);
    }

    @Test
    void roomIsMadeOnlyWhereItIsShortAndOnlyOfWhatSomebodyElseHas() throws IOException {
        keep(FIRST, 5, 4);
        keep(FIRST.takenOver(SOUTH, BOOT, 4), 9, 9);
        pair(8, 8);
        replica.writeLineage(FIRST.takenOver(NORTH, BOOT, 5));

        assertThat(replica.makeRoom(1)).isTrue();
        assertThat(replica.kept()).hasSize(2);

        assertThat(replica.makeRoom(Long.MAX_VALUE)).isFalse();
        assertThat(replica.kept()).as("the one that went on alone").hasSize(1);
        assertThat(replica.inspect().log().lastIndex()).isEqualTo(8);

        replica.markIncomplete("it learns");
        assertThat(replica.makeRoom(Long.MAX_VALUE)).isFalse();
        assertThat(replica.inspect().present()).as("a part of the leader's").isFalse();
        assertThat(replica.kept()).hasSize(1);
    }

    @Test
    void whatACrashLeftOfAnErasedReplicaGoesWithTheNextOne() throws IOException {
        Path left = Files.createDirectories(root.resolve("erasing/member"));
        pair(5, 4);
        replica.markIncomplete("it learns");

        assertThat(replica.makeRoom(Long.MAX_VALUE)).isFalse();

        assertThat(left).doesNotExist();
        assertThat(root.resolve("erasing")).doesNotExist();
        assertThat(replica.current()).doesNotExist();
    }

    @Test
    void onlyWhatTheCurrentReplicaContainsIsPruned() throws IOException {
        // Oldest first: an ancestor, one that went on alone, and one nobody can read.
        keep(FIRST, 5, 4);
        keep(FIRST.takenOver(SOUTH, BOOT, 4), 9, 9);
        pair(6, 6);
        replica.setAside("no lineage");
        // The current one took over after index 5.
        pair(8, 8);
        replica.writeLineage(FIRST.takenOver(NORTH, BOOT, 5));

        ReplicaDirectory.Pruned pruned = replica.prune(0);

        assertThat(pruned.deleted()).hasSize(1).first().asString().contains("000000000");
        assertThat(pruned.held())
                .hasSize(2)
                .anyMatch(line -> line.contains("another lineage"))
                .anyMatch(line -> line.contains("lineage is not known"));
    }

    @Test
    void aKeptReplicaThatAcknowledgedMoreThanTheForkIsNeverPruned() throws IOException {
        keep(FIRST, 9, 7);
        pair(8, 8);
        replica.writeLineage(FIRST.takenOver(NORTH, BOOT, 5));

        assertThat(replica.prune(0).held()).hasSize(1).first().asString().contains("index 7");
    }

    @Test
    void nothingIsPrunedWhileTheCurrentReplicaIsIncompleteOrGone() throws IOException {
        keep(FIRST, 5, 4);
        assertThat(replica.prune(0).deleted()).isEmpty();
        pair(8, 8);
        replica.writeLineage(FIRST);
        replica.markIncomplete("syncing");
        assertThat(replica.prune(0).deleted()).isEmpty();
        replica.markComplete();
        assertThat(replica.prune(1).deleted()).isEmpty();
        assertThat(replica.prune(0).deleted()).hasSize(1);
    }

    private void keep(Lineage lineage, int last, int commit) throws IOException {
        pair(last, commit);
        replica.writeLineage(lineage);
        replica.setAside("x".repeat(9).replace('x', '0'));
        now = now.plusSeconds(60);
    }

    private WalWriter pair(int last, int commit) throws IOException {
        replica.prepare();
        WalWriter writer = DiskReplica.write(replica, last, commit);
        assertThat(List.of(writer.file())).hasSize(1);
        return writer;
    }
}
