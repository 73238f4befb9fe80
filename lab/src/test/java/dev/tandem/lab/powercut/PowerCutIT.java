package dev.tandem.lab.powercut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.lab.linux.LoopFileSystem;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.powercut.WatchedFiles.Change;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Cuts the power of an ext4 before each single change of everything that is meant to be durable,
 * once with all lost that was not synced and once with all of it written out: in between lies
 * whatever a disk may do. Then syncs are left out, as planted faults: each that this file system
 * needs, alone, and some for which it makes up, together.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PowerCutIT {
    private LoopFileSystem disk =
            new LoopFileSystem(Programs.ofHost(), "", Path.of(""), Path.of(""));
    private int runs;

    @BeforeAll
    void make(@TempDir Path directory) throws IOException {
        disk =
                new LoopFileSystem(
                        Programs.ofHost(),
                        "the disk of a test",
                        directory.resolve("disk.img"),
                        directory.resolve("disk"));
        disk.create(64);
    }

    @AfterAll
    void unmount() throws IOException {
        disk.unmount();
        assertThat(LoopFileSystem.devices(disk.image())).isEmpty();
    }

    /** What a cut leaves of that which nobody has synced. */
    private enum Unsynced {
        LOST,
        WRITTEN
    }

    private record Step(Change change, Path file) {}

    /** A run of what is tried, up to the power cut. */
    private final class Run implements WatchedFiles.Watcher {
        private final Path root;
        private final int cutBefore;
        private final Unsynced unsynced;
        private final Set<Integer> withoutSyncs;
        private final List<Step> steps = new ArrayList<>();
        private int syncs;

        /**
         * @param cutBefore the number of a change; none of that number cuts at the end
         * @param withoutSyncs the numbers of syncs that are left out
         */
        private Run(Path root, int cutBefore, Unsynced unsynced, Set<Integer> withoutSyncs) {
            this.root = root;
            this.cutBefore = cutBefore;
            this.unsynced = unsynced;
            this.withoutSyncs = withoutSyncs;
        }

        @Override
        public boolean before(Change change, Path file) throws IOException {
            if (steps.size() == cutBefore) {
                cut();
            }
            steps.add(new Step(change, root.relativize(file)));
            return change != Change.SYNC || !withoutSyncs.contains(syncs++);
        }

        private void cut() throws IOException {
            if (unsynced == Unsynced.WRITTEN) {
                disk.sync();
            }
            disk.losePower();
        }

        private Run perform(Durable what) throws Exception {
            boolean done = true;
            try {
                what.act(new WatchedFiles(this).watched(root));
            } catch (Failure | IOException e) {
                if (steps.size() <= cutBefore) {
                    throw e;
                }
                done = false;
            }
            done &= steps.size() <= cutBefore;
            if (done) {
                cut();
            }
            disk.mountAgain();
            what.verify(root, done);
            return this;
        }
    }

    private static final int AT_THE_END = 10_000;
    private static final Set<Integer> NONE = Set.of();

    private Run run(Durable what, int cutBefore, Unsynced unsynced, Set<Integer> withoutSyncs)
            throws Exception {
        Path root = Files.createDirectory(disk.mount().resolve(what + "-" + runs++));
        what.prepare(root);
        disk.sync();
        return new Run(root, cutBefore, unsynced, withoutSyncs).perform(what);
    }

    @ParameterizedTest
    @EnumSource(Durable.class)
    void aPowerCutAtAnyMomentLeavesWhatWasOrWhatWasMeant(Durable what) throws Exception {
        List<Step> steps = run(what, AT_THE_END, Unsynced.LOST, NONE).steps;
        assertThat(steps).isNotEmpty();
        for (Unsynced unsynced : Unsynced.values()) {
            for (int at = 0; at <= steps.size(); at++) {
                try {
                    run(what, at, unsynced, NONE);
                } catch (AssertionError | Exception e) {
                    throw new AssertionError(
                            "%s, cut before %s with the unsynced %s: %s"
                                    .formatted(
                                            what,
                                            at < steps.size() ? steps.get(at) : "its end",
                                            unsynced,
                                            e.getMessage()),
                            e);
                }
            }
        }
    }

    /**
     * The syncs of one act.
     *
     * @param all how many there are
     * @param noticed by number: those without which, all of a set at once, a power cut after the
     *     end takes something back. Of all others nobody would miss one alone
     */
    private record Syncs(int all, List<Set<Integer>> noticed) {
        static Syncs of(int all, Integer... noticed) {
            return new Syncs(all, Stream.of(noticed).map(Set::of).toList());
        }

        /** Each of these makes up for the others. */
        Syncs andTogether(Set<Integer> more) {
            return new Syncs(all, Stream.concat(noticed.stream(), Stream.of(more)).toList());
        }
    }

    /**
     * Which are missed, on ext4. What a file holds is synced by nothing else. A name that was made,
     * changed or deleted is: ext4 writes all changes of names to its log in their order, so the
     * next sync of any file makes up for the one that was left out. Where a file system keeps no
     * order over all files they are needed; here they are left out together with those after them,
     * if at all.
     */
    private static final Map<Durable, Syncs> NEEDED =
            Map.ofEntries(
                    // What the file holds, and its name; the directory above is made up for.
                    Map.entry(Durable.FIRST_STATE, Syncs.of(3, 1, 2)),
                    Map.entry(Durable.CLAIM, Syncs.of(2, 0, 1)),
                    Map.entry(Durable.LINEAGE, Syncs.of(2, 0, 1)),
                    // In its place in the file: a sync of another file writes nothing of it. The
                    // directory, which is synced too, does not change.
                    Map.entry(Durable.LOG, Syncs.of(2, 0)),
                    Map.entry(Durable.JUMP, Syncs.of(1, 0)),
                    // That it is there is all that it says.
                    Map.entry(Durable.JUMP_OWED, Syncs.of(2, 1)),
                    Map.entry(Durable.KEPT_PASSWORD, Syncs.of(2, 0, 1)),
                    // It holds nothing; the directory above is made up for.
                    Map.entry(Durable.INSTALLATION_MARK, Syncs.of(3, 2)),
                    Map.entry(Durable.INSTALLATION_MARK_REMOVED, Syncs.of(1, 0)),
                    Map.entry(Durable.REPLICA_INCOMPLETE, Syncs.of(2, 0, 1)),
                    Map.entry(Durable.REPLICA_COMPLETE, Syncs.of(1, 0)),
                    // What the note says, and the move, which is synced in both directories. The
                    // names of the note and of the directory of kept ones are made up for.
                    Map.entry(Durable.REPLICA_SET_ASIDE, Syncs.of(5, 0).andTogether(Set.of(3, 4))),
                    Map.entry(Durable.PARTIAL_REPLICA_ERASED, Syncs.of(1, 0)),
                    // The move, in both directories. What is deleted then is not synced.
                    Map.entry(
                            Durable.KEPT_PARTIAL_REPLICA_ERASED,
                            Syncs.of(2).andTogether(Set.of(0, 1))),
                    // What the note about the other one says, and that the chosen one has none any
                    // more: that comes last, and makes up for both moves and for the name of the
                    // note that the revision has to jump. That one holds nothing that is read.
                    Map.entry(Durable.REPLICA_RESTORED, Syncs.of(9, 2, 8)),
                    // The new file and the line before are made up for.
                    Map.entry(Durable.JOURNAL, Syncs.of(3, 2)),
                    // The move and the new file are made up for.
                    Map.entry(Durable.JOURNAL_ROTATED, Syncs.of(3, 2)),
                    Map.entry(Durable.PEER_IDENTITY, Syncs.of(2, 0, 1)),
                    Map.entry(Durable.BMC_SETTINGS, Syncs.of(2, 0, 1)),
                    // What the three files hold. The names of the first two are made up for; if
                    // that of the third is lost, all of it is made once more.
                    Map.entry(Durable.BMC_SETTINGS_MADE, Syncs.of(6, 0, 2, 4)),
                    // What each of the nine files holds. Their names are made up for by what comes
                    // later; from 19 on the set takes its place, file by file, and whatever of that
                    // is synced has the rest completed.
                    Map.entry(
                            Durable.KEYS,
                            Syncs.of(39, 1, 3, 5, 7, 9, 11, 13, 15, 17)
                                    .andTogether(
                                            IntStream.range(19, 39)
                                                    .boxed()
                                                    .collect(Collectors.toSet()))));

    @ParameterizedTest
    @EnumSource(Durable.class)
    void ofEachSyncItIsKnownWhetherItIsMissed(Durable what) throws Exception {
        assertThat(NEEDED).containsKey(what);
        assertThat(run(what, AT_THE_END, Unsynced.LOST, NONE).syncs)
                .isEqualTo(Objects.requireNonNull(NEEDED.get(what)).all());
    }

    static Stream<Arguments> needed() {
        return NEEDED.entrySet().stream()
                .flatMap(entry ->
                        entry.getValue().noticed().stream()
                                .map(numbers -> Arguments.of(entry.getKey(), numbers)));
    }

    @ParameterizedTest(name = "{0} without sync {1}")
    @MethodSource("needed")
    void aMissingSyncIsNoticed(Durable what, Set<Integer> syncs) {
        assertThatThrownBy(() -> run(what, AT_THE_END, Unsynced.LOST, syncs)).isNotNull();
    }

    @Test
    void whatWasSyncedIsThereAndTheRestIsGone() throws Exception {
        Path synced = Files.writeString(disk.mount().resolve("synced"), "text");
        disk.sync();
        Files.writeString(disk.mount().resolve("not-synced"), "text");

        disk.losePower();
        assertThatThrownBy(() -> Files.writeString(synced, "more")).isInstanceOf(IOException.class);
        disk.mountAgain();

        assertThat(synced).hasContent("text");
        assertThat(disk.mount().resolve("not-synced")).doesNotExist();
    }
}
