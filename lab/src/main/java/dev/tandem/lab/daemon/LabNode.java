package dev.tandem.lab.daemon;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.Deadline;
import dev.tandem.lab.linux.Cgroup;
import dev.tandem.lab.linux.LabSyscalls;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import dev.tandem.redfishsim.MachineIdentity;
import dev.tandem.redfishsim.SimulatedMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A machine with a Debian on its disk. Its first process runs in a container of namespaces; killing
 * that takes every other process with it at once, as a power cut does; what was not synced to the
 * disks of etcd and of the agent goes too ({@link NodeDisks}). Only its BMC may call {@link
 * #powerOn}, {@link #cutPower} and {@link #pressPowerButton}.
 */
public final class LabNode implements SimulatedMachine {
    /** systemd-nspawn ends with this when the system inside asked for a reboot. */
    private static final int REBOOT_ASKED = 133;

    /** What systemd takes for the power button: SIGRTMIN+4, with glibc's SIGRTMIN at 34. */
    private static final int POWER_OFF_SIGNAL = 38;

    /** The agent's journal takes 24 MB at most, and the rest of it next to nothing. */
    private static final int TANDEM_DISK_MIB = 64;

    private static final Duration FIRST_PROCESS_LIMIT = Duration.ofSeconds(60);

    private final LabLayout layout;
    private final LabLayout.NodePlan plan;
    private final LabFiles files;
    private final List<Path> layers;
    private final LabNetwork network;
    private final Timeline timeline;
    private final Programs programs;
    private final NodeDisks disks;
    private final ReentrantLock power = new ReentrantLock();
    private volatile @Nullable Running running;
    private volatile boolean plugOut;
    private volatile boolean panicked;
    private volatile boolean keepsCache;

    /** A node that is on. */
    private record Running(Process supervisor, long leader, Instant since) {
        boolean is(@Nullable Running other) {
            return other != null && other.leader == leader && other.supervisor.equals(supervisor);
        }
    }

    public LabNode(
            LabLayout layout,
            LabLayout.NodePlan plan,
            LabFiles files,
            List<Path> layers,
            LabNetwork network,
            Timeline timeline,
            Programs programs) {
        this.layout = layout;
        this.plan = plan;
        this.files = files;
        this.layers = layers;
        this.network = network;
        this.timeline = timeline;
        this.programs = programs;
        this.disks =
                new NodeDisks(
                        plan.name(), directory(), files.mounts().resolve(plan.name()), programs);
    }

    public LabLayout.NodePlan plan() {
        return plan;
    }

    public String name() {
        return plan.name();
    }

    /** Where all that belongs to the node lies on the host. */
    Path directory() {
        return files.disks().resolve(name());
    }

    private Path disk(String part) {
        return directory().resolve(part);
    }

    /** The node's file system as the host sees it, also while the node is off. */
    Path root() {
        return disk("root");
    }

    NodeDisks disks() {
        return disks;
    }

    /** Where a copy of etcd's disk is kept. */
    Path snapshot() {
        return disk("etcd-snapshot");
    }

    /** Whether the kernel holds the node's systemd. */
    boolean firstProcessIsHeld() throws IOException {
        Optional<Long> first = leader();
        return first.isPresent() && held().holds(first.get());
    }

    public Cgroup cgroup() {
        return files.cgroup().child(name());
    }

    public HeldProcesses held() {
        return HeldProcesses.of(files, name());
    }

    /** Makes the node's disks. Mounts are private to the daemon and end with it and its nodes. */
    void prepare(Map<String, String> publicFiles, Map<String, String> secretFiles)
            throws IOException {
        for (String part : List.of("upper", "work", "root")) {
            Files.createDirectories(disk(part));
        }
        programs.run(
                "lay out the disk of " + name(),
                "mount",
                "-t",
                "overlay",
                "-o",
                "lowerdir="
                        + layers.stream().map(Path::toString).collect(Collectors.joining(":"))
                        + ",upperdir="
                        + disk("upper")
                        + ",workdir="
                        + disk("work"),
                "overlay",
                root().toString());
        Map<String, String> identity =
                Map.of(
                        "etc/hostname", name() + "\n",
                        "etc/hosts", layout.hostsFile(),
                        "etc/machine-id", plan.uuid().toString().replace("-", "") + "\n",
                        "etc/tandem-lab/dmi/product_uuid", plan.uuid() + "\n",
                        "etc/tandem-lab/dmi/product_serial", plan.serial() + "\n",
                        "etc/tandem-lab/dmi/product_name", plan.identity().model() + "\n",
                        "etc/tandem-lab/dmi/sys_vendor", "Tandem\n",
                        // pcs's web server waits at shutdown for clients that keep their
                        // connection, until systemd ends it: by default after 90 s.
                        "etc/systemd/system/pcsd-ruby.service.d/lab.conf",
                                "[Service]\nTimeoutStopSec=5\n");
        write(identity, "rw-r--r--");
        write(publicFiles, "rw-r--r--");
        write(secretFiles, "rw-------");
        disks.create(LabRequest.Disk.ETCD, layout.spec().etcdDiskMib(), root());
        disks.create(LabRequest.Disk.TANDEM, TANDEM_DISK_MIB, root());
    }

    private void write(Map<String, String> contents, String mode) throws IOException {
        for (Map.Entry<String, String> file : contents.entrySet()) {
            Path place = root().resolve(file.getKey());
            Files.createDirectories(place.getParent());
            Files.writeString(place, file.getValue());
            Files.setPosixFilePermissions(place, PosixFilePermissions.fromString(mode));
        }
    }

    @Override
    public MachineIdentity identity() {
        return plan.identity();
    }

    @Override
    public boolean isRunning() {
        Running now = running;
        return now != null && now.supervisor().isAlive();
    }

    /** Whether the machine has no mains at all. */
    boolean plugOut() {
        return plugOut;
    }

    void setPlugOut(boolean out) {
        plugOut = out;
    }

    boolean panicked() {
        return panicked;
    }

    /**
     * Until the node is switched on again, a power cut costs it nothing that was written, synced or
     * not.
     */
    void keepCache() {
        keepsCache = true;
    }

    /**
     * Stops as a kernel does that has panicked: nothing runs, the links are silent, and the power
     * is still on. Only a power cut ends it.
     */
    void panic() throws IOException {
        power.lock();
        try {
            if (running == null) {
                throw new Failure(
                        "cannot make the kernel of " + name() + " panic",
                        "it is switched off",
                        "switch it on first: tandem lab power " + name() + " on");
            }
            panicked = true;
            cgroup().freeze(true);
            // The node's network namespace would go on answering in the name of a dead kernel.
            network.silence(plan);
        } finally {
            power.unlock();
        }
    }

    /** The process number, on the host, of the node's first process. */
    public Optional<Long> leader() {
        Running now = running;
        return now == null ? Optional.empty() : Optional.of(now.leader());
    }

    Optional<Instant> runningSince() {
        Running now = running;
        return now == null ? Optional.empty() : Optional.of(now.since());
    }

    @Override
    public void powerOn() throws IOException {
        power.lock();
        try {
            if (running != null) {
                return;
            }
            if (plugOut) {
                throw new IOException("the plug of " + name() + " is out");
            }
            disks.mountAgain();
            network.plug(plan);
            cgroup().create();
            Running started = boot();
            keepsCache = layout.spec().keepCache();
            running = started;
            timeline.record(new TimelineEvent.PowerOn(), name());
            Thread.ofVirtual().name("watch " + name()).start(() -> watch(started));
        } catch (IOException e) {
            tidyAfterFailedStart(e);
            throw e;
        } catch (RuntimeException e) {
            tidyAfterFailedStart(e);
            // A BMC hears of a machine that did not start only this way.
            throw new IOException(e.getMessage(), e);
        } finally {
            power.unlock();
        }
    }

    private void tidyAfterFailedStart(Exception why) {
        try {
            cgroup().kill();
            goneDark();
        } catch (IOException | RuntimeException e) {
            why.addSuppressed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            why.addSuppressed(e);
        }
    }

    private Running boot() throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "/bin/sh",
                                LabDaemon.enterCgroupScript(files).toString(),
                                cgroup().directory().toString(),
                                "systemd-nspawn",
                                "--quiet",
                                "--register=no",
                                "--keep-unit",
                                "--directory=" + root(),
                                "--machine=" + files.name() + "-" + name(),
                                "--hostname=" + name(),
                                "--uuid=" + plan.uuid(),
                                "--network-namespace-path=" + LabNetwork.namespaceOf(name()),
                                // With a namespace from outside nspawn takes it away; a node
                                // that serves an address has to be able to add and remove it.
                                "--capability=CAP_NET_ADMIN",
                                "--link-journal=no",
                                "--resolv-conf=off",
                                "--timezone=off",
                                "--console=read-only"));
        command.addAll(disks.binds());
        for (LabSpec.Bind bind : layout.spec().binds()) {
            command.add("--bind-ro=" + bind.host() + ":" + bind.node());
        }
        command.add("--boot");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                        .redirectErrorStream(true)
                        .redirectOutput(
                                ProcessBuilder.Redirect.appendTo(files.console(name()).toFile()));
        builder.environment().keySet().retainAll(List.of("PATH", "TERM"));
        // systemd in the node insists on the unified hierarchy, also where the host mixes both.
        builder.environment().put("SYSTEMD_NSPAWN_UNIFIED_HIERARCHY", "1");
        Process supervisor = builder.start();
        return new Running(supervisor, awaitLeader(supervisor), Instant.now());
    }

    /** The child that is number 1 in a process namespace of its own. */
    private long awaitLeader(Process supervisor) throws IOException {
        Deadline deadline = Deadline.in(FIRST_PROCESS_LIMIT);
        try {
            while (!deadline.passed()) {
                if (!supervisor.isAlive()) {
                    throw new Failure(
                            "cannot boot " + name(),
                            "systemd-nspawn ended with " + supervisor.exitValue() + lastWords(),
                            "the whole output is in " + files.console(name()));
                }
                try (Stream<ProcessHandle> children = supervisor.children()) {
                    Optional<Long> leader =
                            children.map(ProcessHandle::pid).filter(LabNode::isLeader).findFirst();
                    if (leader.isPresent()) {
                        return leader.get();
                    }
                }
                deadline.pause(Duration.ofMillis(10));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while booting " + name(), e);
        }
        throw new IOException(
                name() + " has no first process after " + FIRST_PROCESS_LIMIT.toSeconds() + " s");
    }

    private static boolean isLeader(long pid) {
        try {
            boolean first =
                    Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                            .filter(line -> line.startsWith("NSpid:"))
                            .map(line -> line.split("\\s+", -1))
                            .anyMatch(fields -> fields.length == 3 && fields[2].equals("1"));
            return first
                    && Files.readString(Path.of("/proc/" + pid + "/comm"))
                            .strip()
                            .equals("systemd");
        } catch (IOException e) {
            // One of the helpers of systemd-nspawn, which has ended meanwhile.
            return false;
        }
    }

    private String lastWords() throws IOException {
        List<String> lines = Files.readAllLines(files.console(name()));
        return lines.isEmpty() ? "" : ": " + lines.getLast().strip();
    }

    /** Waits for the node to end on its own: an orderly shutdown, or a reboot that it asked for. */
    private void watch(Running started) {
        try {
            int exitCode = started.supervisor().waitFor();
            power.lock();
            try {
                if (!started.is(running)) {
                    return;
                }
                running = null;
                endEverything();
                goneDark();
                // A system that ends on its own leaves nothing unwritten; in a container it cannot
                // see to that itself.
                disks.sync();
                boolean reboot = exitCode == REBOOT_ASKED;
                timeline.record(
                        reboot
                                ? new TimelineEvent.Reboot(exitCode)
                                : new TimelineEvent.ShutDown(exitCode),
                        name());
                if (reboot) {
                    powerOn();
                }
            } finally {
                power.unlock();
            }
        } catch (IOException | RuntimeException e) {
            timeline.record(new TimelineEvent.Failed(String.valueOf(e.getMessage())), name());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void cutPower() throws IOException {
        power.lock();
        try {
            Running now = running;
            if (now == null) {
                return;
            }
            running = null;
            timeline.record(new TimelineEvent.PowerCut(), name());
            cgroup().orderKill();
            try {
                if (!keepsCache) {
                    // After the order to kill, so that no process sees an error and acts on it;
                    // before they are gone, since those that wait for a disk are not gone at once.
                    disks.losePower();
                }
            } finally {
                endEverything();
            }
            if (!now.supervisor().waitFor(10, TimeUnit.SECONDS)) {
                throw new IOException("the supervisor of " + name() + " does not die");
            }
            goneDark();
            timeline.record(new TimelineEvent.PowerOff(), name());
            Thread.ofVirtual().name("disks of " + name()).start(this::mountDisksAgain);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while cutting the power of " + name(), e);
        } finally {
            power.unlock();
        }
    }

    /** For the end of the lab, when nobody will look at the disks any more. */
    void end() throws IOException {
        keepCache();
        cutPower();
    }

    /** Ahead of whoever needs them; one that fails here fails again there, and is told. */
    private void mountDisksAgain() {
        try {
            disks.mountAgain();
        } catch (IOException | RuntimeException e) {
            timeline.record(new TimelineEvent.Failed(String.valueOf(e.getMessage())), name());
        }
    }

    /** Without power nothing waits for a disk either. */
    private void endEverything() throws IOException, InterruptedException {
        cgroup().orderKill();
        held().release();
        cgroup().awaitEmpty();
        // Now that nobody is left in it, its group goes as well.
        held().release();
    }

    private void goneDark() throws IOException {
        panicked = false;
        network.unplug(plan);
        cgroup().remove();
    }

    @Override
    public void pressPowerButton() throws IOException {
        Running now = running;
        if (now != null) {
            timeline.record(new TimelineEvent.PowerButton(), name());
            LabSyscalls.kill(now.leader(), POWER_OFF_SIGNAL);
        }
    }

    /** Runs a program inside the node. */
    public Commands.Output run(Duration limit, List<String> command, String stdin) {
        Optional<Long> leader = leader();
        if (leader.isEmpty()) {
            return new Commands.Output(
                    Commands.Output.NOT_STARTED, "", name() + " is switched off");
        }
        return programs.commands().run(limit, enter(leader.get(), command), stdin);
    }

    /** The command that runs another one inside a node, with an environment of the node's own. */
    public static List<String> enter(long leader, List<String> command) {
        List<String> whole =
                new ArrayList<>(
                        List.of(
                                "nsenter",
                                "--target=" + leader,
                                "--all",
                                "--root",
                                "env",
                                "--chdir=/",
                                "--ignore-environment",
                                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                                "HOME=/root",
                                "LANG=C.UTF-8",
                                "TERM=" + System.getenv().getOrDefault("TERM", "dumb")));
        whole.addAll(command);
        return whole;
    }
}
