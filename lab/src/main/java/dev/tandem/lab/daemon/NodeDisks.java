package dev.tandem.lab.daemon;

import dev.tandem.lab.linux.LoopFileSystem;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabRequest.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The file systems of a node that lose what was not synced when its power is cut: etcd's, and that
 * of the agent's state, plan and keys. The rest of the node is an overlay on the host's own file
 * system, which keeps all that was ever written.
 *
 * <p>After a cut they have to be mounted again, which takes some tens of milliseconds. Nobody waits
 * for that who does not need them: least of all a BMC that is asked whether the machine is off.
 */
final class NodeDisks {
    private final String node;
    private final Path mounts;
    private final Programs programs;
    private final Map<Disk, LoopFileSystem> disks = new EnumMap<>(Disk.class);

    /** How many look at the disks right now: they are not unmounted meanwhile. */
    private int users;

    private boolean powerLost;

    /**
     * @param images where the disks themselves lie
     */
    NodeDisks(String node, Path images, Path mounts, Programs programs) {
        this.node = node;
        this.mounts = mounts;
        this.programs = programs;
        for (Disk disk : Disk.values()) {
            disks.put(
                    disk,
                    new LoopFileSystem(
                            programs,
                            "the %s disk of %s".formatted(disk, node),
                            images.resolve(disk + ".img"),
                            mounts.resolve(disk.toString())));
        }
    }

    /**
     * Makes a small file system of its own, so that it can be full, slow or without power while the
     * rest is not, with what the image has in the places that it covers.
     */
    void create(Disk disk, int mib, Path root) throws IOException {
        LoopFileSystem made = system(disk);
        made.create(mib);
        for (Path place : disk.places()) {
            Path covered = below(root, place);
            // systemd makes Tandem's when the agent first starts.
            Files.createDirectories(covered);
            Path covering = Files.createDirectories(covering(disk, place));
            programs.run(
                    "hand over " + made.what(),
                    "cp",
                    "--archive",
                    "--no-target-directory",
                    covered.toString(),
                    covering.toString());
        }
        made.sync();
    }

    private LoopFileSystem system(Disk disk) {
        LoopFileSystem system = disks.get(disk);
        if (system == null) {
            throw new IllegalStateException("no " + disk + " disk");
        }
        return system;
    }

    private static Path below(Path root, Path place) {
        return root.resolve(place.toString().substring(1));
    }

    /** Where on a disk the directory of the node lies. */
    private Path covering(Disk disk, Path place) {
        return below(mount(disk), place);
    }

    /** The directory that has all of them, and nothing else. */
    Path mounts() {
        return mounts;
    }

    /** The mounted file system; what lies beside the node's directories the node does not see. */
    Path mount(Disk disk) {
        return system(disk).mount();
    }

    /** The directory of the host that a directory of the node is. */
    Path directory(Path place) {
        return locate(place).orElseThrow(() -> new IllegalArgumentException(place.toString()));
    }

    /** Where a path of the node lies that is on one of the disks. */
    Optional<Path> locate(Path file) {
        for (Disk disk : Disk.values()) {
            for (Path place : disk.places()) {
                if (file.startsWith(place)) {
                    return Optional.of(
                            covering(disk, place).resolve(place.relativize(file).toString()));
                }
            }
        }
        return Optional.empty();
    }

    /** The arguments that show the disks to a node. */
    List<String> binds() {
        List<String> binds = new ArrayList<>();
        for (Disk disk : Disk.values()) {
            for (Path place : disk.places()) {
                binds.add("--bind=" + covering(disk, place) + ":" + place);
            }
        }
        return binds;
    }

    /** Something that is done with the disks. */
    interface Use<T> {
        T run() throws IOException;
    }

    /** Uses the disks, mounted again if need be. */
    <T> T use(Use<T> use) throws IOException {
        begin();
        try {
            return use.run();
        } finally {
            end();
        }
    }

    private synchronized void begin() throws IOException {
        mountAgain();
        users++;
    }

    private synchronized void end() {
        users--;
        notifyAll();
    }

    /** Has all that was written reach the disks, as the end of an orderly shutdown does. */
    void sync() throws IOException {
        use(() -> {
            for (LoopFileSystem disk : disks.values()) {
                disk.sync();
            }
            return disks;
        });
    }

    /**
     * At this moment all is lost that has not been synced. The node's processes have been killed,
     * or a few may see errors.
     */
    synchronized void losePower() throws IOException {
        powerLost = true;
        // Whoever has the disks stand still lets go, or what waits for them could not die.
        notifyAll();
        for (LoopFileSystem disk : disks.values()) {
            disk.losePower();
        }
    }

    /** Mounts them as a boot does, after a loss of power; otherwise nothing is to be done. */
    synchronized void mountAgain() throws IOException {
        try {
            while (powerLost && users > 0) {
                wait();
            }
            if (powerLost) {
                for (LoopFileSystem disk : disks.values()) {
                    disk.mountAgain();
                }
                powerLost = false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the disks of " + node + " were mounted", e);
        }
    }

    /**
     * Has the disks stand still for this long, or until the power is lost.
     *
     * @param still runs as soon as they do
     */
    void standStill(Duration time, Runnable still) throws IOException, InterruptedException {
        List<LoopFileSystem> frozen = new ArrayList<>();
        begin();
        try {
            for (LoopFileSystem disk : disks.values()) {
                disk.freeze(true);
                frozen.add(disk);
            }
            still.run();
            pause(time);
        } catch (IOException e) {
            if (!hasLostPower()) {
                throw e;
            }
        } finally {
            try {
                for (LoopFileSystem disk : frozen) {
                    disk.freeze(false);
                }
            } finally {
                end();
            }
        }
    }

    private synchronized boolean hasLostPower() {
        return powerLost;
    }

    private synchronized void pause(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0 && !powerLost; left = end - System.nanoTime()) {
            wait(Duration.ofNanos(left).plusMillis(1).toMillis());
        }
    }
}
