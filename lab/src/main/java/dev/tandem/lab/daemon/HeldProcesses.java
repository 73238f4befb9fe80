package dev.tandem.lab.daemon;

import dev.tandem.core.Failure;
import dev.tandem.host.Deadline;
import dev.tandem.lab.linux.ProcessId;
import dev.tandem.lab.spec.LabFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Processes of a node that the kernel holds, as it holds one that waits for a dead disk: they do
 * not run, and no signal ends them. It takes the freezer of the first version of control groups,
 * under which even SIGKILL waits; that of the second lets it through.
 */
public record HeldProcesses(Path directory) {
    private static final String PROCESSES = "cgroup.procs";
    private static final String STATE = "freezer.state";
    private static final Duration FREEZING = Duration.ofSeconds(5);

    public static HeldProcesses of(LabFiles lab, String node) {
        return new HeldProcesses(ofLab(lab).resolve(node));
    }

    /** Lets go of everything that is held in a lab, also after the end of its daemon. */
    public static void releaseAll(LabFiles lab) throws IOException {
        Path all = ofLab(lab);
        if (!Files.isDirectory(all)) {
            return;
        }
        try (Stream<Path> nodes = Files.list(all)) {
            for (Path node : nodes.filter(Files::isDirectory).toList()) {
                new HeldProcesses(node).release();
            }
        }
    }

    /** Not there where the host has no such hierarchy; then nothing is held either. */
    private static Path ofLab(LabFiles lab) {
        return hierarchy().resolve("tandem-lab").resolve(lab.name());
    }

    private static Path hierarchy() {
        try {
            return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                    .map(line -> line.split(" ", -1))
                    .filter(fields ->
                            fields[2].equals("cgroup")
                                    && List.of(fields[3].split(",", -1)).contains("freezer"))
                    .map(fields -> Path.of(fields[1]))
                    .findFirst()
                    .orElse(Path.of("/nonexistent"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read /proc/self/mounts", e);
        }
    }

    /** Whether anything is held. */
    boolean any() throws IOException {
        return Files.isDirectory(directory) && !members().isEmpty();
    }

    /** Whether this process is held. */
    boolean holds(long process) throws IOException {
        return Files.isDirectory(directory) && members().contains(process);
    }

    private List<Long> members() throws IOException {
        return Files.readAllLines(directory.resolve(PROCESSES)).stream()
                .map(Long::valueOf)
                .toList();
    }

    public void hold(List<Long> processes) throws IOException, InterruptedException {
        if (!Files.isDirectory(hierarchy())) {
            throw new Failure(
                    "cannot hold a process",
                    "the freezer of control groups, version 1, is not mounted on this host",
                    "mkdir -p /run/freezer && mount -t cgroup -o freezer freezer /run/freezer");
        }
        Files.createDirectories(directory);
        for (long process : processes) {
            Files.writeString(directory.resolve(PROCESSES), Long.toString(process));
        }
        Files.writeString(directory.resolve(STATE), "FROZEN");
        Deadline deadline = Deadline.in(FREEZING);
        while (!Files.readString(directory.resolve(STATE)).strip().equals("FROZEN")) {
            if (deadline.passed()) {
                throw new IOException("processes " + members() + " do not freeze");
            }
            deadline.pause(Duration.ofMillis(10));
        }
    }

    /** Lets them go on, or end where a signal has been waiting. */
    void release() throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        Files.writeString(directory.resolve(STATE), "THAWED");
        for (long process : members()) {
            letGo(process);
        }
        removeIfEmpty();
    }

    private static void letGo(long process) throws IOException {
        try {
            Files.writeString(hierarchy().resolve(PROCESSES), Long.toString(process));
        } catch (IOException e) {
            if (ProcessId.of(process).isPresent()) {
                throw e;
            }
        }
    }

    /** One that is just ending still counts; then the group goes with a later release. */
    private void removeIfEmpty() {
        Path labs = hierarchy().resolve("tandem-lab");
        for (Path group : List.of(directory, directory.getParent(), labs)) {
            try {
                Files.delete(group);
            } catch (IOException e) {
                return;
            }
        }
    }
}
