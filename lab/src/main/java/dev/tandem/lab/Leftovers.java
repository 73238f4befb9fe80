package dev.tandem.lab;

import dev.tandem.host.Deadline;
import dev.tandem.lab.daemon.HeldProcesses;
import dev.tandem.lab.linux.Cgroup;
import dev.tandem.lab.linux.LoopFileSystem;
import dev.tandem.lab.linux.ProcessId;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabFiles;
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
public final class Leftovers {
    private static final Duration DAEMON_END_LIMIT = Duration.ofSeconds(30);
    private static final Duration A_MOMENT = Duration.ofSeconds(2);
    private static final Duration KERNEL_LIMIT = Duration.ofSeconds(20);

    private final Programs programs;

    public Leftovers(Programs programs) {
        this.programs = programs;
    }

    /** What was found and removed, in words; empty when there was nothing. */
    public List<String> remove(LabFiles lab) throws IOException, InterruptedException {
        List<String> removed = new ArrayList<>();
        Optional<ProcessId> daemon = lab.daemon();
        if (daemon.isPresent() && daemon.get().alive()) {
            daemon.get().kill();
            awaitEnd(daemon.get());
            removed.add("daemon " + daemon.get().pid());
        }
        Cgroup cgroup = lab.cgroup();
        List<ProcessId> processes = processesOf(lab);
        if (!processes.isEmpty()) {
            cgroup.orderKill();
            HeldProcesses.releaseAll(lab);
            cgroup.awaitEmpty();
            HeldProcesses.releaseAll(lab);
            removed.add(processes.size() + " processes of nodes");
        }
        awaitBuried(processes);
        awaitLoopDevices(lab);
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

    /** Everything that runs in the lab's nodes, with their supervisors. */
    static List<ProcessId> processesOf(LabFiles lab) throws IOException {
        return lab.cgroup().processes().stream()
                .map(ProcessId::of)
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * Waits until the host's init has taken note of the dead. One that never does, as in some
     * containers, keeps their names in its table and nothing else: that is not waited for longer.
     */
    static void awaitBuried(List<ProcessId> dead) throws InterruptedException {
        Deadline deadline = Deadline.in(KERNEL_LIMIT);
        while (dead.stream().anyMatch(ProcessId::listed) && !deadline.passed()) {
            deadline.pause(Duration.ofMillis(10));
        }
    }

    /**
     * The kernel frees a mount namespace, and with it loop devices, a moment after its last user.
     */
    private void awaitLoopDevices(LabFiles lab) throws IOException, InterruptedException {
        Deadline deadline = Deadline.in(KERNEL_LIMIT);
        Deadline moment = Deadline.in(A_MOMENT);
        boolean thawed = false;
        List<String> held = LoopFileSystem.devices(lab.disks());
        while (!held.isEmpty()) {
            if (!thawed && moment.passed()) {
                held.forEach(this::thaw);
                thawed = true;
            }
            if (deadline.passed()) {
                throw new IOException("the kernel still holds " + held);
            }
            deadline.pause(Duration.ofMillis(10));
            held = LoopFileSystem.devices(lab.disks());
        }
    }

    /**
     * A daemon that was killed while the disks of a node stood still has left them frozen, and the
     * kernel keeps a frozen file system, mounted or not. It is thawed by whoever mounts it again.
     */
    private void thaw(String device) {
        programs.commands()
                .run(
                        A_MOMENT,
                        List.of(
                                "unshare",
                                "--mount",
                                "sh",
                                "-c",
                                "mount \"$0\" /mnt && fsfreeze --unfreeze /mnt",
                                "/dev/" + device));
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
