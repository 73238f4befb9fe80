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
 * whatever a disk may do. Then each sync is left out in turn, as a planted fault; those that this
 * file system needs are noticed.
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
        private final int withoutSync;
        private final List<Step> steps = new ArrayList<>();
        private int syncs;

        /**
         * @param cutBefore the number of a change; none of that number cuts at the end
         * @param withoutSync the number of a sync that is left out
         */
        private Run(Path root, int cutBefore, Unsynced unsynced, int withoutSync) {
            this.root = root;
            this.cutBefore = cutBefore;
            this.unsynced = unsynced;
            this.withoutSync = withoutSync;
        }

        @Override
        public boolean before(Change change, Path file) throws IOException {
            if (steps.size() == cutBefore) {
                cut();
            }
            steps.add(new Step(change, root.relativize(file)));
            return change != Change.SYNC || syncs++ != withoutSync;
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
    private static final int NONE = -1;

    private Run run(Durable what, int cutBefore, Unsynced unsynced, int withoutSync)
            throws Exception {
        Path root = Files.createDirectory(disk.mount().resolve(what + "-" + runs++));
        what.prepare(root);
        disk.sync();
        return new Run(root, cutBefore, unsynced, withoutSync).perform(what);
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
     * The syncs, by number, without which a power cut after the end takes something back. Others
     * are needed where a file system keeps no order over all files: on ext4 the next sync of any
     * file makes up for them.
     */
    private static final Map<Durable, List<Integer>> NEEDED =
            Map.ofEntries(
                    // What the file holds, and its name; the directory above is made up for.
                    Map.entry(Durable.FIRST_STATE, List.of(1, 2)),
                    Map.entry(Durable.CLAIM, List.of(0, 1)),
                    Map.entry(Durable.LINEAGE, List.of(0, 1)),
                    // In its place in the file: a sync of another file writes nothing of it.
                    Map.entry(Durable.LOG, List.of(0)),
                    Map.entry(Durable.JUMP, List.of(0)),
                    // That it is there is all that it says.
                    Map.entry(Durable.JUMP_OWED, List.of(1)),
                    Map.entry(Durable.KEPT_PASSWORD, List.of(0, 1)),
                    // It holds nothing.
                    Map.entry(Durable.INSTALLATION_MARK, List.of(2)),
                    Map.entry(Durable.INSTALLATION_MARK_REMOVED, List.of(0)),
                    Map.entry(Durable.REPLICA_INCOMPLETE, List.of(0, 1)),
                    Map.entry(Durable.REPLICA_COMPLETE, List.of(0)),
                    Map.entry(Durable.PARTIAL_REPLICA_ERASED, List.of(0)),
                    // The line before is made up for.
                    Map.entry(Durable.JOURNAL, List.of(2)),
                    Map.entry(Durable.PEER_IDENTITY, List.of(0, 1)));

    static Stream<Arguments> needed() {
        return NEEDED.entrySet().stream()
                .flatMap(entry ->
                        entry.getValue().stream()
                                .map(number -> Arguments.of(entry.getKey(), number)));
    }

    @ParameterizedTest(name = "{0} without sync {1}")
    @MethodSource("needed")
    void aMissingSyncIsNoticed(Durable what, int sync) {
        assertThatThrownBy(() -> run(what, AT_THE_END, Unsynced.LOST, sync)).isNotNull();
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
