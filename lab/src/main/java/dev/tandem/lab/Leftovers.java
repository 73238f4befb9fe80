package dev.tandem.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Removes what is left of a lab, however it ended. Everything a lab makes hangs on its processes:
 * mounts, loop devices, network namespaces and links belong to the private namespaces of the daemon
 * and of the nodes, and the kernel frees them with the last process in there. So the cleaner ends
 * the processes that the ledger and the lab's control group name, and removes the lab's own
 * directories. It touches nothing that the lab did not make.
 */
final class Leftovers {
    private static final Duration DAEMON_END_LIMIT = Duration.ofSeconds(10);

    private final Programs programs;

    Leftovers(Programs programs) {
        this.programs = programs;
    }

    /** What was found and removed, in words; empty when there was nothing. */
    List<String> remove(LabFiles lab) throws IOException, InterruptedException {
        List<String> removed = new ArrayList<>();
        Optional<ProcessId> daemon = lab.daemon();
        if (daemon.isPresent() && daemon.get().alive()) {
            daemon.get().kill();
            awaitEnd(daemon.get());
            removed.add("daemon " + daemon.get().pid());
        }
        Cgroup cgroup = lab.cgroup();
        List<Long> processes = cgroup.processes();
        if (!processes.isEmpty()) {
            cgroup.kill();
            removed.add(processes.size() + " processes of nodes");
        }
        cgroup.remove();
        removeIfEmpty(Cgroup.ofLabs());
        if (Files.exists(lab.disks())) {
            removeTree(lab.disks());
            removed.add("disks");
        }
        keepTimeline(lab);
        if (lab.exists()) {
            removeTree(lab.run());
            removed.add("state");
        }
        return removed;
    }

    private static void awaitEnd(ProcessId daemon) throws IOException, InterruptedException {
        Deadline deadline = Deadline.in(DAEMON_END_LIMIT);
        while (daemon.alive()) {
            if (deadline.passed()) {
                throw new IOException("daemon " + daemon.pid() + " does not die");
            }
            deadline.pause(Duration.ofMillis(10));
        }
    }

    private static void removeIfEmpty(Cgroup labs) throws IOException {
        if (labs.processes().isEmpty() && !labs.hasChildren()) {
            labs.remove();
        }
    }

    /** The last timeline of each name outlives its lab: reports are written afterwards. */
    private static void keepTimeline(LabFiles lab) throws IOException {
        if (Files.exists(lab.timeline())) {
            Path kept = lab.lastTimeline();
            Files.createDirectories(kept.getParent());
            Files.move(lab.timeline(), kept, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private void removeTree(Path path) {
        programs.run(
                "remove " + path,
                Duration.ofMinutes(1),
                List.of("rm", "-rf", "--one-file-system", path.toString()),
                "");
    }
}
