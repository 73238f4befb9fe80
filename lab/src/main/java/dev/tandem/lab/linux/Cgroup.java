package dev.tandem.lab.linux;

import dev.tandem.core.Failure;
import dev.tandem.host.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A control group of the unified hierarchy: the kernel's own record of which processes belong to a
 * node, complete whatever they forked into, and the means to freeze or kill them together.
 */
public record Cgroup(Path directory) {

    /** The group of all labs of this host. */
    public static Cgroup ofLabs() {
        return new Cgroup(hierarchy().resolve("tandem-lab"));
    }

    /**
     * The same group in systemd's own hierarchy, where the host still has one: systemd-nspawn makes
     * it there too.
     */
    private Optional<Cgroup> twin() {
        Path below = hierarchy().relativize(directory);
        return mounts("cgroup")
                .filter(mount -> mount.getFileName().toString().equals("systemd"))
                .findFirst()
                .map(mount -> new Cgroup(mount.resolve(below)));
    }

    /** Mounted at the top on today's hosts, one directory below on those that mix both versions. */
    private static Path hierarchy() {
        return mounts("cgroup2")
                .findFirst()
                .orElseThrow(() ->
                        new Failure(
                                "the lab does not run on this host",
                                "the unified cgroup hierarchy is not mounted, and systemd"
                                        + " in the nodes insists on it",
                                "mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified"));
    }

    private static Stream<Path> mounts(String type) {
        try {
            return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                    .map(line -> line.split(" ", -1))
                    .filter(fields -> fields[2].equals(type))
                    .map(fields -> Path.of(fields[1]));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read /proc/self/mounts", e);
        }
    }

    public Cgroup child(String name) {
        return new Cgroup(directory.resolve(name));
    }

    public void create() throws IOException {
        Files.createDirectories(directory);
    }

    public boolean exists() {
        return Files.isDirectory(directory);
    }

    /** Whether other groups stand below this one. */
    public boolean hasChildren() throws IOException {
        return tree().size() > 1;
    }

    /** Every process in the group and the groups below it. */
    public List<Long> processes() throws IOException {
        List<Long> pids = new ArrayList<>();
        for (Path group : tree()) {
            pids.addAll(members(group));
        }
        return pids;
    }

    private static List<Long> members(Path group) {
        try {
            return Files.readAllLines(group.resolve("cgroup.procs")).stream()
                    .map(Long::valueOf)
                    .toList();
        } catch (IOException e) {
            // The node removed this group of its own between listing and reading, or it is a
            // threaded or dying one (EOPNOTSUPP, ENODEV): nobody is in it.
            return List.of();
        }
    }

    /** Stops every process in its tracks, or lets them go on; they cannot see the difference. */
    public void freeze(boolean frozen) throws IOException {
        Files.writeString(directory.resolve("cgroup.freeze"), frozen ? "1" : "0");
    }

    public boolean frozen() throws IOException {
        return exists() && Files.readString(directory.resolve("cgroup.freeze")).strip().equals("1");
    }

    /** Kills everything in the group at once, frozen or not, and waits until it is gone. */
    public void kill() throws IOException, InterruptedException {
        orderKill();
        awaitEmpty();
    }

    /** Kills everything in the group; what the kernel holds ends when it lets go. */
    public void orderKill() throws IOException {
        if (exists()) {
            Files.writeString(directory.resolve("cgroup.kill"), "1");
        }
    }

    /** A killed process is gone when its last system call has returned: mostly at once. */
    public void awaitEmpty() throws IOException, InterruptedException {
        Deadline deadline = Deadline.in(Duration.ofSeconds(20));
        while (exists() && populated()) {
            if (deadline.passed()) {
                throw new IOException("processes " + processes() + " do not die");
            }
            deadline.pause(Duration.ofMillis(5));
        }
    }

    private boolean populated() throws IOException {
        return Files.readString(directory.resolve("cgroup.events")).contains("populated 1");
    }

    /** Removes the group and those that a node's systemd made below it. */
    public void remove() throws IOException {
        for (Path group : tree()) {
            Files.deleteIfExists(group);
        }
        Optional<Cgroup> twin = twin();
        if (twin.isPresent()) {
            for (Path group : twin.get().tree()) {
                Files.deleteIfExists(group);
            }
        }
    }

    /** Deepest first: only an empty group can be removed. */
    private List<Path> tree() throws IOException {
        if (!exists()) {
            return List.of();
        }
        List<Path> groups = new ArrayList<>();
        collect(directory, groups);
        groups.sort(Comparator.comparingInt(Path::getNameCount).reversed());
        return groups;
    }

    private static void collect(Path group, List<Path> into) throws IOException {
        into.add(group);
        try (Stream<Path> entries = Files.list(group)) {
            for (Path entry : entries.filter(Files::isDirectory).toList()) {
                collect(entry, into);
            }
        } catch (NoSuchFileException e) {
            // Removed by the node meanwhile.
            return;
        }
    }
}
