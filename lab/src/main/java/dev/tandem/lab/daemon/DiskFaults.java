package dev.tandem.lab.daemon;

import dev.tandem.core.Failure;
import dev.tandem.host.NodePaths;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabRequest.Disk;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What is done to the disks of one node: no room, no speed, or what they held some time ago. */
final class DiskFaults {
    private static final String BALLAST = ".lab-ballast";
    private static final long METADATA_BYTES = 16L << 20;

    /** A program that writes all the time is given up on. */
    private static final int MOST_ROUNDS = 10;

    /** What may be left of a disk on which nothing can be written any more. */
    private static final long NEARLY_NOTHING = 1L << 20;

    /** A freeze first writes out what is dirty: seconds on a busy disk. */
    private static final Duration FREEZE_LIMIT = Duration.ofSeconds(60);

    private final LabNode node;
    private final Timeline timeline;
    private final Programs programs;
    private final Set<Disk> full = EnumSet.noneOf(Disk.class);
    private @Nullable Thread stall;

    DiskFaults(LabNode node, Timeline timeline, Programs programs) {
        this.node = node;
        this.timeline = timeline;
        this.programs = programs;
    }

    synchronized List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        for (Disk disk : full) {
            sentences.add("%s's disk on %s is filled up".formatted(disk.owner(), node.name()));
        }
        if (stall != null) {
            sentences.add("the disks of %s stand still again and again".formatted(node.name()));
        }
        return sentences;
    }

    void heal() throws IOException {
        stall(0);
        for (Disk disk : Disk.values()) {
            fill(disk, -1);
        }
    }

    /** Leaves this many MiB free on a disk; a negative number frees it again. */
    synchronized void fill(Disk disk, int leaveMib) throws IOException {
        boolean was = node.disks().use(() -> Files.deleteIfExists(ballast(disk)));
        full.remove(disk);
        if (leaveMib >= 0) {
            node.disks().use(() -> ballast(disk, leaveMib));
            full.add(disk);
            timeline.record(new TimelineEvent.DiskFull(disk), node.name());
        } else if (was) {
            timeline.record(new TimelineEvent.DiskFreed(disk), node.name());
        }
        if (was || leaveMib >= 0) {
            // A power cut fills nothing, and frees nothing.
            node.disks().sync();
        }
    }

    private Path ballast(Disk disk) {
        return node.disks().mount(disk).resolve(BALLAST);
    }

    private Path ballast(Disk disk, int leaveMib) throws IOException {
        Path ballast = ballast(disk);
        timeline.record(new TimelineEvent.FillDisk(disk, leaveMib), node.name());
        long room =
                Files.getFileStore(node.disks().mount(disk)).getUsableSpace()
                        - ((long) leaveMib << 20);
        // The map of a large file takes blocks too: what is exactly free cannot be had at once.
        long atOnce = room - METADATA_BYTES;
        if (atOnce > 0) {
            programs.run(
                    "fill the %s disk of %s".formatted(disk, node.name()),
                    "fallocate",
                    "--length",
                    Long.toString(atOnce),
                    ballast.toString());
        }
        if (leaveMib == 0) {
            // What a program has just freed can be had only once the file system has stored that;
            // with one block left, a file that is replaced finds room each time.
            int rounds = 0;
            do {
                node.disks().sync();
                // A small file system has small blocks, and a few of them take a small file.
            } while (fillRest(ballast, 4096) + fillRest(ballast, 1024) > 0
                    && ++rounds < MOST_ROUNDS);
        }
        return ballast;
    }

    /**
     * Block by block until there is none left.
     *
     * @return the blocks that were
     */
    private static int fillRest(Path ballast, int blockBytes) throws IOException {
        byte[] block = new byte[blockBytes];
        int blocks = 0;
        try (OutputStream out =
                Files.newOutputStream(
                        ballast, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (long written = 0; written < 2 * METADATA_BYTES; written += block.length) {
                out.write(block);
                blocks++;
            }
        } catch (IOException e) {
            if (Files.getFileStore(ballast).getUsableSpace() > NEARLY_NOTHING) {
                throw e;
            }
        }
        return blocks;
    }

    /**
     * Has both disks stand still for this long, move for a moment, and so on: every writer waits
     * that long each time. It returns once they stand still for the first time. The kernel freezes
     * the file systems for it, and a frozen one would outlive its lab; so the end of a stall
     * returns only when they have been thawed.
     */
    void stall(int millis) throws IOException {
        Thread before = replace(millis);
        if (before != null) {
            before.interrupt();
            try {
                before.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while the disks were thawed", e);
            }
            timeline.record(new TimelineEvent.DisksMove(), node.name());
        }
        if (millis > 0) {
            CompletableFuture<Void> still = new CompletableFuture<>();
            Thread next =
                    Thread.ofPlatform()
                            .name("stall " + node.name())
                            .unstarted(() -> standStill(Duration.ofMillis(millis), still));
            synchronized (this) {
                stall = next;
            }
            next.start();
            awaitFirst(still);
            timeline.record(new TimelineEvent.DisksStall(millis), node.name());
        }
    }

    private synchronized @Nullable Thread replace(int millis) {
        if (millis < 0) {
            throw new Failure(
                    "cannot stall the disks of " + node.name(),
                    "%d ms is not a valid duration".formatted(millis),
                    "give the length of each stall in ms, or 0 to end them");
        }
        Thread before = stall;
        stall = null;
        return before;
    }

    private void awaitFirst(CompletableFuture<Void> still) throws IOException {
        try {
            still.get(FREEZE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            replace(0);
            throw new IOException(
                    "the disks of " + node.name() + " cannot be frozen", e.getCause());
        } catch (TimeoutException e) {
            throw new IOException(
                    "the disks of %s are not frozen after %d s"
                            .formatted(node.name(), FREEZE_LIMIT.toSeconds()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the disks were frozen", e);
        }
    }

    /** No pause in between: the kernel lets everybody in who waited, and nobody twice. */
    private void standStill(Duration still, CompletableFuture<Void> first) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                node.disks().standStill(still, () -> first.complete(null));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            if (!first.completeExceptionally(e)) {
                UnexpectedErrors.log("the disks of " + node.name(), e);
            }
        }
    }

    /** Keeps a copy of what etcd's disk holds at one moment. */
    synchronized void snapshot() throws IOException {
        programs.run("forget the last copy", "rm", "-rf", node.snapshot().toString());
        Files.createDirectories(node.snapshot());
        node.disks()
                .use(() -> {
                    String mount = node.disks().mount(Disk.ETCD).toString();
                    programs.run("stall the etcd disk", "fsfreeze", "--freeze", mount);
                    try {
                        copy(replicas(), node.snapshot());
                    } finally {
                        programs.run("let the etcd disk go on", "fsfreeze", "--unfreeze", mount);
                    }
                    return mount;
                });
        timeline.record(new TimelineEvent.Snapshot(), node.name());
    }

    private Path replicas() {
        return node.disks().directory(NodePaths.REPLICAS);
    }

    /** Puts the copy in the place of what etcd's disk holds. */
    synchronized void rollBack() throws IOException {
        if (node.isRunning()) {
            throw new Failure(
                    "cannot roll back the disk of " + node.name(),
                    "the node is on",
                    "switch it off: tandem lab power " + node.name() + " off");
        }
        if (!Files.isDirectory(node.snapshot())) {
            throw new Failure(
                    "cannot roll back the disk of " + node.name(),
                    "no copy of it was kept",
                    "keep one first: tandem lab snapshot " + node.name());
        }
        node.disks()
                .use(() -> {
                    programs.run(
                            "clear the etcd disk of " + node.name(),
                            "find",
                            replicas().toString(),
                            "-mindepth",
                            "1",
                            "-delete");
                    copy(node.snapshot(), replicas());
                    return replicas();
                });
        node.disks().sync();
        timeline.record(new TimelineEvent.RolledBack(), node.name());
    }

    private void copy(Path from, Path to) {
        programs.run(
                "copy the etcd disk of " + node.name(),
                "cp",
                "--archive",
                "--sparse=always",
                from + "/.",
                to.toString());
    }
}
