package dev.tandem.host.etcd;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import dev.tandem.host.Linux;
import dev.tandem.host.NodePaths;
import dev.tandem.host.Systemd;
import dev.tandem.host.etcd.EtcdConfig.Mode;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.wal.ReplicaLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * etcd as a unit of systemd, so that it outlives the agent.
 *
 * <p>The configuration file is a permit for one start. It lies on a file system that is empty after
 * boot, the unit refuses to start without it, and it is moved away as soon as etcd serves or has
 * failed. So nothing but a fresh decision starts etcd: not a reboot, not a crash, not a curious
 * {@code systemctl start}. One that was not used, because the agent ended before it ordered the
 * start, is withdrawn by the next agent before anything else: see {@link #withdrawLeftOver}.
 */
public final class EtcdUnitFile {
    public static final String NAME = "tandem-etcd.service";

    private static final Duration SYSTEMCTL = Duration.ofSeconds(10);

    /** As long as systemd waits for what a unit does last, and a moment more. */
    private static final Duration REST = Duration.ofSeconds(17);

    private static final String REMEDY =
            "look at the unit: systemctl status " + NAME + "; journalctl -u " + NAME;
    private static final List<String> PROPERTIES =
            List.of(
                    "ActiveState",
                    "SubState",
                    "Result",
                    "MainPID",
                    "ExecMainStatus",
                    "ControlGroup");

    /** Where control groups are found, with version 2 alone and with both versions. */
    private static final List<String> CONTROL_GROUPS =
            List.of("/sys/fs/cgroup", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified");

    private static final Pattern NUMBER = Pattern.compile("[0-9]+");

    private final Systemd systemd;
    private final Places places;

    /**
     * Where the unit lives; everything else follows from the configuration.
     *
     * @param proc where the kernel lists processes: those of a machine that runs labs include the
     *     servers of their nodes
     */
    public record Places(Path program, Path unitDirectory, Path runDirectory, Path proc) {
        public static final Places STANDARD =
                new Places(
                        NodePaths.ETCD_PROGRAM,
                        NodePaths.UNITS,
                        NodePaths.RUN.resolve("etcd"),
                        Path.of("/proc"));
    }

    /** What systemd says of the process. */
    public record State(
            String active, String sub, String result, long mainPid, int exitStatus, String words) {
        private static final Set<String> OVER = Set.of("failed", "inactive");
        private static final String UNKNOWN = "unknown";

        /** False if systemd did not say. */
        public boolean known() {
            return !active.equals(UNKNOWN);
        }

        public boolean running() {
            return mainPid > 0;
        }

        /** systemd is done with the unit, and nothing of it is left. */
        public boolean over() {
            return !running() && OVER.contains(active);
        }

        /** systemd is done with the unit, and a process of it is still there. */
        public boolean cannotBeEnded() {
            return running() && OVER.contains(active);
        }

        /** etcd has said that it serves: it has met a leader and is listed with its name. */
        public boolean ready() {
            return active.equals("active");
        }
    }

    public EtcdUnitFile(Commands commands, Places places) {
        this.systemd = new Systemd(commands);
        this.places = places;
    }

    /** The unit file for this configuration. */
    public String unitText(EtcdConfig config) {
        return """
        # Written by tandem-agent, which rewrites it. Settings of your own: systemctl edit %s
        [Unit]
        Description=etcd of the Tandem control plane
        After=network-online.target time-sync.target
        Wants=network-online.target
        # At shutdown Pacemaker goes first and stops etcd in the right order.
        Before=pacemaker.service
        # The permit for one start. tandem-agent writes it; do not create it by hand.
        AssertPathExists=%s

        [Service]
        Type=notify
        ExecStart=%s --config-file=%s
        ExecStartPost=/bin/mv -f %s %s
        # Only after a start that failed is there anything to move.
        ExecStopPost=-/bin/sh -c 'test ! -e %s || exec mv -f %s %s'
        # Whether and how etcd starts again is decided with what is known then.
        Restart=no
        # Ready means that there is a leader; who waits for one, and how long, is decided elsewhere.
        TimeoutStartSec=infinity
        TimeoutStopSec=15s
        KillMode=mixed
        LimitNOFILE=65536
        OOMScoreAdjust=-997
        IOSchedulingClass=best-effort
        IOSchedulingPriority=0
        UMask=0077
        # A core would hold the database and the keys.
        LimitCORE=0
        # Root, because its keys and data are root's, but with none of root's privileges save one: Debian's package gives
        # the directory above the data to a user of its own.
        CapabilityBoundingSet=CAP_DAC_OVERRIDE
        NoNewPrivileges=yes
        ProtectSystem=strict
        ProtectHome=yes
        PrivateTmp=yes
        PrivateDevices=yes
        ProtectKernelTunables=yes
        ProtectKernelModules=yes
        ProtectKernelLogs=yes
        ProtectControlGroups=yes
        ProtectClock=yes
        ProtectHostname=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        KeyringMode=private
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallErrorNumber=EPERM
        ReadWritePaths=%s %s
        """
                .formatted(
                        NAME,
                        permit(),
                        places.program(),
                        permit(),
                        permit(),
                        places.runDirectory().resolve("started.json"),
                        permit(),
                        permit(),
                        places.runDirectory().resolve("failed.json"),
                        DurableFiles.parent(config.dataDirectory()),
                        places.runDirectory());
    }

    /** Writes the unit if it is not as it should be; true if it was not. */
    public boolean install(EtcdConfig config) {
        Path unit = places.unitDirectory().resolve(NAME);
        String wanted = unitText(config);
        try {
            if (Files.exists(unit) && Files.readString(unit).equals(wanted)) {
                return false;
            }
            Files.createDirectories(places.unitDirectory());
            // No secret, and systemd complains about units that only their owner can read.
            DurableFiles.write(unit, wanted, "rw-r--r--");
        } catch (IOException e) {
            throw new Failure(
                    "cannot write " + unit,
                    IoErrors.words(e),
                    "check free space and permissions of its directory",
                    e);
        }
        systemd.daemonReload(SYSTEMCTL).orFail(REMEDY);
        return true;
    }

    /**
     * Permits one start. Everything that can be wrong is looked at first, before anything is
     * written: a configuration that would fail, ports in use, and data that do not fit the mode.
     */
    public void permit(EtcdConfig config, Mode mode, Timing timing, ReplicaDirectory replica) {
        permit(config, mode, timing, replica, replica.inspect());
    }

    /**
     * The same for data that were read already.
     *
     * @param data as they lie there now
     */
    public void permit(
            EtcdConfig config,
            Mode mode,
            Timing timing,
            ReplicaDirectory replica,
            ReplicaState data) {
        String what = "cannot permit etcd to start " + words(mode);
        Optional<String> misfit = misfit(mode, replica, data);
        if (misfit.isPresent()) {
            throw new Failure(what, misfit.get(), "look at the replica: tandem replicas list");
        }
        refuseUnlessFree(config, mode, timing);
        // The unit may write there and nowhere else, so systemd wants the place to exist.
        replica.prepare();
        try {
            Files.createDirectories(places.runDirectory());
            DurableFiles.write(permit(), config.render(mode, timing, EtcdConfig::isOwn));
        } catch (IOException e) {
            throw new Failure(
                    what,
                    IoErrors.words(e),
                    "check free space and permissions of " + places.runDirectory(),
                    e);
        }
    }

    /**
     * Fails as {@link #permit} would after the log was made ready for a take-over: before that,
     * nothing is written yet.
     */
    void refuseTakeOver(EtcdConfig config, Timing timing, ReplicaState data) {
        Mode mode = new EtcdConfig.TakeOver();
        Optional<String> lack = lacks(data);
        if (lack.isPresent()) {
            throw new Failure(
                    "cannot permit etcd to start " + words(mode),
                    lack.get(),
                    "look at the replica: tandem replicas list");
        }
        refuseUnlessFree(config, mode, timing);
    }

    private static void refuseUnlessFree(EtcdConfig config, Mode mode, Timing timing) {
        String what = "cannot permit etcd to start " + words(mode);
        List<String> problems = config.problems(mode, timing);
        if (!problems.isEmpty()) {
            throw new Failure(what, String.join("; ", problems), "correct the cluster's plan");
        }
        List<InetSocketAddress> busy = busy(config.listens(EtcdConfig::isOwn));
        if (!busy.isEmpty()) {
            throw new Failure(
                    what,
                    "in use, or not an address of this node: " + busy,
                    "see which process listens: ss -Hltnp; see the addresses: ip -br address");
        }
    }

    /**
     * Takes a permit back that was not used.
     *
     * @return whether there was one: then nothing has started with it, and nothing will
     */
    public boolean withdraw() {
        try {
            return DurableFiles.deleteIfThere(permit());
        } catch (IOException e) {
            throw new Failure(
                    "cannot withdraw the permit " + permit(),
                    IoErrors.words(e),
                    "delete it by hand, or etcd may start with it",
                    e);
        }
    }

    /** What became of a permit that an earlier agent may have left. */
    public enum LeftOver {
        /** There was none. */
        NONE,

        /** It was withdrawn: nothing but a new decision starts etcd. */
        WITHDRAWN,

        /**
         * etcd is starting with it, or ending. The unit takes the permit away itself; without the
         * file it would fail a start that goes well.
         */
        IN_USE,

        /** systemd did not say whether it is in use. It is still there: to be asked again. */
        UNKNOWN
    }

    /**
     * Withdraws the permit of an agent that ended between writing it and ordering the start. What
     * it was decided on may no longer hold: the peer may serve by now, and the permit may be one to
     * take over by force. A start that is ordered and has not begun fails with it, which is right.
     *
     * <p>Not to be called beside {@link #permit}: it would withdraw what was just decided.
     */
    public LeftOver withdrawLeftOver() {
        if (!Files.exists(permit())) {
            return LeftOver.NONE;
        }
        String active = state().active();
        return switch (active) {
            case "inactive", "failed", "active" -> {
                boolean _ = withdraw();
                yield LeftOver.WITHDRAWN;
            }
            case "activating", "deactivating", "reloading" ->
                    Files.exists(permit()) ? LeftOver.IN_USE : LeftOver.NONE;
            default -> LeftOver.UNKNOWN;
        };
    }

    /**
     * Returns when systemd is done with a server that has ended. What it does last takes an unused
     * permit away, and would take away the one for the next start.
     */
    public void awaitRest() {
        if (state().active().equals("deactivating")) {
            systemd.stop(REST, NAME).orFail(REMEDY);
        }
    }

    /** Orders the start and does not wait: etcd is ready only when it has a leader. */
    public void start() {
        // A unit that failed before would count towards systemd's own limit of starts.
        systemd.resetFailed(SYSTEMCTL, NAME);
        systemd.orderStart(SYSTEMCTL, NAME).orFail(REMEDY);
    }

    public State state() {
        Systemd.Result shown = systemd.show(SYSTEMCTL, NAME, PROPERTIES);
        if (!shown.ok()) {
            return new State("unknown", "unknown", "unknown", 0, 0, shown.output().err().strip());
        }
        Map<String, String> properties = Systemd.properties(shown);
        String active = properties.getOrDefault("ActiveState", "unknown");
        String sub = properties.getOrDefault("SubState", "unknown");
        String result = properties.getOrDefault("Result", "unknown");
        long main = Long.parseLong(properties.getOrDefault("MainPID", "0"));
        return new State(
                active,
                sub,
                result,
                main == 0 && State.OVER.contains(active)
                        ? leftOver(properties.getOrDefault("ControlGroup", ""))
                        : main,
                Integer.parseInt(properties.getOrDefault("ExecMainStatus", "0")),
                "%s (%s), %s".formatted(active, sub, result));
    }

    /**
     * Whether a process of the unit lives, by the kernel alone; asked when systemd does not answer.
     * True where that cannot be read.
     */
    boolean hasProcess() {
        try (Stream<Path> entries = Files.list(places.proc())) {
            return entries.filter(entry -> NUMBER.matcher(entry.getFileName().toString()).matches())
                    .filter(EtcdUnitFile::isOfUnit)
                    .map(entry -> Long.parseLong(entry.getFileName().toString()))
                    // A zombie that a systemd which hangs has not buried is listed too.
                    .anyMatch(pid -> !Linux.hasEnded(pid));
        } catch (IOException | UncheckedIOException e) {
            return true;
        }
    }

    private static boolean isOfUnit(Path process) {
        try (Stream<String> groups = Files.lines(process.resolve("cgroup"))) {
            return groups.anyMatch(group -> group.endsWith("/" + NAME));
        } catch (IOException | UncheckedIOException e) {
            // It has ended since it was listed.
            return false;
        }
    }

    /**
     * A process that systemd has given up on: it calls the unit failed when not even SIGKILL ended
     * it, because the kernel holds it. It still has the data and the ports.
     */
    private static long leftOver(String controlGroup) {
        if (controlGroup.isEmpty()) {
            return 0;
        }
        for (String root : CONTROL_GROUPS) {
            try (Stream<String> lines =
                    Files.lines(Path.of(root + controlGroup + "/cgroup.procs"))) {
                Optional<String> first = lines.filter(line -> !line.isBlank()).findFirst();
                if (first.isPresent()) {
                    return Long.parseLong(first.get().strip());
                }
            } catch (IOException | UncheckedIOException e) {
                // Not mounted there, or gone by now: nothing is left in it.
            }
        }
        return 0;
    }

    /**
     * The addresses that cannot be listened on now. Asked by listening: connections that wait out
     * their end are listed for a minute more and are in nobody's way.
     */
    public static List<InetSocketAddress> busy(List<InetSocketAddress> addresses) {
        return addresses.stream().filter(address -> !free(address)).toList();
    }

    private static boolean free(InetSocketAddress address) {
        try (ServerSocketChannel socket = ServerSocketChannel.open()) {
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            socket.bind(address);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static Optional<String> misfit(
            Mode mode, ReplicaDirectory replica, ReplicaState state) {
        return switch (mode) {
            case EtcdConfig.InPlace() ->
                    state.log().usable()
                            ? Optional.empty()
                            : Optional.of(
                                    "the log is not usable: " + state.log().verdict().words());
            case EtcdConfig.TakeOver() -> misfitOfTakeOver(state);
            case EtcdConfig.Join join ->
                    state.present()
                            ? Optional.of("there is a replica already: " + replica.current())
                            : Optional.empty();
            case EtcdConfig.Bootstrap bootstrap ->
                    state.present() || !replica.kept().isEmpty()
                            ? Optional.of("this node has or had a replica; it was installed before")
                            : Optional.empty();
        };
    }

    private static Optional<String> misfitOfTakeOver(ReplicaState state) {
        Optional<String> lack = lacks(state);
        if (lack.isPresent()) {
            return lack;
        }
        return switch (CommitTail.plan(state.log())) {
            case CommitTail.NothingToDo ready -> Optional.empty();
            case CommitTail.Refused(ReplicaLog log, String why, String remedy) -> Optional.of(why);
            case CommitTail.Append append ->
                    Optional.of(
                            append.entriesKept()
                                    + " entries are not declared committed and would be dropped");
        };
    }

    /** Why these data cannot be taken over with, whatever is done to their log. */
    private static Optional<String> lacks(ReplicaState state) {
        if (state.incomplete().isPresent()) {
            return Optional.of("the replica is incomplete: " + state.incomplete().get());
        }
        return state.databaseBytes() == 0
                ? Optional.of("the replica has a log but no database")
                : Optional.empty();
    }

    private static String words(Mode mode) {
        return switch (mode) {
            case EtcdConfig.InPlace() -> "on its own data";
            case EtcdConfig.TakeOver() -> "as the only voter";
            case EtcdConfig.Join join -> "as a learner";
            case EtcdConfig.Bootstrap bootstrap -> "as a new cluster";
        };
    }

    private Path permit() {
        return places.runDirectory().resolve("permit.json");
    }
}
