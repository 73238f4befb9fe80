package dev.tandem.lab.linux;

import dev.tandem.host.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * An ext4 in a file, mounted by a loop device, that can lose its power: what was not synced is then
 * gone, and what was is there. Nothing of it outlives the last mount: the kernel frees the device
 * with it.
 *
 * @param what names it in a failure, such as "the etcd disk of node-0"
 */
public record LoopFileSystem(Programs programs, String what, Path image, Path mount) {
    /**
     * Stricter than an ext4 with its defaults, as other file systems are. Those write a file out
     * when it is renamed over another and everything after five seconds, and so hide for most of
     * the time that a program forgot to sync.
     */
    private static final String OPTIONS = "loop,noauto_da_alloc,commit=60";

    /** The kernel frees the mounts of a process a moment after its end, on a busy host later. */
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(20);

    /** Makes it, of that size, and mounts it. */
    public void create(int mib) throws IOException {
        Files.createDirectories(mount);
        programs.run("make " + what, "truncate", "--size=" + mib + "M", image.toString());
        programs.run("format " + what, "mkfs.ext4", "-q", "-m", "0", image.toString());
        mountIt();
        Files.delete(mount.resolve("lost+found"));
    }

    private void mountIt() {
        // The loop device frees itself with the last mount (autoclear), whoever dies first.
        programs.run("mount " + what, "mount", "-o", OPTIONS, image.toString(), mount.toString());
    }

    /** What is done with a descriptor of the file system. */
    private interface Act {
        void on(int descriptor) throws IOException;
    }

    private void open(Act act) throws IOException {
        int descriptor =
                LabSyscalls.open(mount.toString(), LabSyscalls.O_RDONLY | LabSyscalls.O_CLOEXEC);
        try {
            act.on(descriptor);
        } finally {
            LabSyscalls.close(descriptor);
        }
    }

    /** Has all that was written reach the device. */
    public void sync() throws IOException {
        open(LabSyscalls::syncFileSystem);
    }

    /** Has it stand still, or lets it go on. */
    public void freeze(boolean frozen) throws IOException {
        open(descriptor -> LabSyscalls.freeze(descriptor, frozen));
    }

    /**
     * Loses its power: nothing that is not on the device gets there any more. Takes no time; it is
     * of use again after {@link #mountAgain}.
     */
    public void losePower() throws IOException {
        open(LabSyscalls::shutDown);
    }

    /**
     * Mounts it again after a loss of power, as a boot does: the log is replayed. All others that
     * had it mounted have ended, or are about to.
     */
    public void mountAgain() throws IOException, InterruptedException {
        if (isMounted()) {
            unmount();
        }
        // Mounted while the dead one is still there, it would be the dead one.
        Deadline deadline = Deadline.in(RELEASE_LIMIT);
        while (!devices(image).isEmpty()) {
            if (deadline.passed()) {
                throw new IOException(
                        "the kernel still holds %s (%s)".formatted(what, devices(image)));
            }
            deadline.pause(Duration.ofMillis(2));
        }
        mountIt();
    }

    private boolean isMounted() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                .anyMatch(line -> line.contains(" " + mount + " "));
    }

    /** Ends it; for what has no processes of its own to end. */
    public void unmount() {
        programs.run("unmount " + what, "umount", mount.toString());
    }

    /** The loop devices that stand on a file, or on any file below a directory. */
    public static List<String> devices(Path backing) throws IOException {
        try (Stream<Path> devices = Files.list(Path.of("/sys/block"))) {
            return devices.filter(device -> standsOn(device, backing))
                    .map(device -> device.getFileName().toString())
                    .toList();
        }
    }

    private static boolean standsOn(Path device, Path backing) {
        try {
            String file = Files.readString(device.resolve("loop/backing_file")).strip();
            return file.equals(backing.toString()) || file.startsWith(backing + "/");
        } catch (IOException e) {
            // Not a loop device, or one that is not in use.
            return false;
        }
    }
}
