package dev.tandem.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.Deadline;
import dev.tandem.lab.image.ProgressListener;
import dev.tandem.lab.linux.Cgroup;
import dev.tandem.lab.linux.ProcessId;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabPaths;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.LabStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A lab comes, goes and leaves nothing, however it ends. */
class LifecycleIT {
    private static final LabPaths PATHS = LabPaths.ofHost();
    private static final Duration ENOUGH = Duration.ofSeconds(60);
    private static final Duration GLANCE = Duration.ofMillis(20);

    private final LabStarter starter = new LabStarter(PATHS, Programs.ofHost());

    /** Of this run alone: another may be under way on this machine. */
    private static LabSpec small(String name) {
        return new LabSpec(
                name + "-" + ProcessHandle.current().pid(),
                1,
                false,
                LabSpec.AddressFamily.DUAL,
                2,
                LabSpec.BmcProtocol.BOTH,
                64,
                List.of(),
                false);
    }

    @Test
    void nothingIsLeftAfterDown() throws Exception {
        LabSpec spec = small("it-down");
        LabStatus status = up(spec);
        assertThat(traces(spec.name())).isNotEmpty();

        assertThat(starter.down(spec.name(), ProgressListener.SILENT)).isTrue();

        assertNothingIsLeft(spec);
        assertThat(alive(status.daemon())).isFalse();
        assertThat(starter.down(spec.name(), ProgressListener.SILENT))
                .as("a second down")
                .isFalse();
    }

    @Test
    void nothingIsLeftAfterTheDaemonWasKilledAndGcHasRun() throws Exception {
        LabSpec spec = small("it-kill");
        LabStatus status = up(spec);
        new ProcessId(status.daemon(), ProcessId.of(status.daemon()).orElseThrow().startTicks())
                .kill();
        LabFiles files = starter.files(spec.name());
        Deadline deadline = Deadline.in(ENOUGH);
        while (files.alive() && !deadline.passed()) {
            deadline.pause(GLANCE);
        }
        assertThat(traces(spec.name())).as("nodes outlive the daemon").isNotEmpty();
        assertThatThrownBy(() -> up(spec))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("left behind");

        new Leftovers(Programs.ofHost()).remove(files);

        assertNothingIsLeft(spec);
    }

    /** The disks are neither mounted nor unmounted then, and have no power. */
    @Test
    void nothingIsLeftAfterTheDaemonWasKilledInAPowerCut() throws Exception {
        LabSpec spec = small("it-cut");
        LabStatus status = up(spec);
        LabFiles files = starter.files(spec.name());
        ProcessId daemon = ProcessId.of(status.daemon()).orElseThrow();
        new LabClient(files).ask(new LabRequest.Crash("node-0", LabRequest.CrashKind.POWER, false));
        daemon.kill();

        new Leftovers(Programs.ofHost()).remove(files);

        assertNothingIsLeft(spec);
    }

    @Test
    void aSecondLabOfTheSameNameIsRefusedAndTheFirstGoesOn() throws Exception {
        LabSpec spec = small("it-twice");
        LabStatus first = up(spec);
        try {
            assertThatThrownBy(() -> up(spec))
                    .isInstanceOf(Failure.class)
                    .hasMessageContaining("already runs");
            assertThat(new LabClient(starter.files(spec.name())).status().daemon())
                    .isEqualTo(first.daemon());
        } finally {
            starter.down(spec.name(), ProgressListener.SILENT);
        }
        assertNothingIsLeft(spec);
    }

    @Test
    void aLabThatCannotStartCleansUpAfterItself() throws Exception {
        LabSpec spec =
                small("it-broken")
                        .withBinds(List.of(new LabSpec.Bind("/no/such/directory", "/mnt")));

        assertThatThrownBy(() -> up(spec)).isInstanceOf(Failure.class);

        assertNothingIsLeft(spec);
    }

    private LabStatus up(LabSpec spec) throws IOException, InterruptedException {
        return starter.up(spec, Optional.empty(), ProgressListener.SILENT);
    }

    /**
     * Soon: of what was killed the host's init takes note in its own time, and until then the
     * kernel shows it.
     */
    private static void assertNothingIsLeft(LabSpec spec) throws Exception {
        Deadline buried = Deadline.in(ENOUGH);
        while (!traces(spec.name()).isEmpty() && !buried.passed()) {
            buried.pause(GLANCE);
        }
        assertThat(traces(spec.name())).isEmpty();
    }

    private static boolean alive(long pid) {
        return ProcessId.of(pid).isPresent();
    }

    /** Whatever on this host carries the lab's name: as the kernel tells, not as the lab does. */
    private static List<String> traces(String name) throws IOException {
        Stream<String> directories =
                Stream.of(
                                PATHS.run().resolve(name),
                                PATHS.disks().resolve(name),
                                Cgroup.ofLabs().child(name).directory())
                        .filter(Files::exists)
                        .map(Path::toString);
        Stream<String> mounts =
                Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                        .filter(line -> line.contains("/tandem-lab/" + name + "/"));
        return Stream.of(directories, mounts, loopDevices(name), processes(name))
                .flatMap(stream -> stream)
                .toList();
    }

    private static Stream<String> loopDevices(String name) throws IOException {
        try (Stream<Path> devices = Files.list(Path.of("/sys/block"))) {
            return devices
                    .map(device -> device.resolve("loop/backing_file"))
                    .filter(Files::exists)
                    .map(LifecycleIT::read)
                    .filter(file -> file.contains("/tandem-lab/" + name + "/"))
                    .toList()
                    .stream();
        }
    }

    private static Stream<String> processes(String name) throws IOException {
        try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
            return entries
                    .filter(entry -> entry.getFileName().toString().matches("\\d+"))
                    .filter(entry ->
                            read(entry.resolve("cgroup")).contains("/tandem-lab/" + name)
                                    || read(entry.resolve("cmdline"))
                                            .contains("/tandem-lab/" + name + "/")
                                    || read(entry.resolve("mounts"))
                                            .contains("/tandem-lab/" + name + "/"))
                    .map(entry -> entry + " " + read(entry.resolve("comm")).strip())
                    .toList()
                    .stream();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            // Gone meanwhile, or not ours to read: no trace.
            return "";
        }
    }
}
