package dev.tandem.lab.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.TlsIdentity;
import dev.tandem.lab.linux.ProcessId;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.Json;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.LabPaths;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.LabStatus;
import dev.tandem.lab.spec.NetworkFault;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Looks after one lab: its switches, nodes and BMCs. It is started in a mount namespace of its own
 * and outlives the command that started it. Nothing it makes outlives it and its nodes: see {@link
 * Leftovers}.
 */
public final class LabDaemon implements AutoCloseable {
    private static final Duration IN_NODE_LIMIT = Duration.ofSeconds(10);
    private static final int SSH_PORT = 22;
    private static final int API_PORT = 6443;

    private final LabFiles files;
    private final Programs programs;
    private final LabLayout layout;
    private final Timeline timeline;
    private final LabNetwork network;
    private final Map<String, LabNode> nodes = new LinkedHashMap<>();
    private final Map<String, LabBmc> bmcs = new ConcurrentHashMap<>();
    private final List<PortRelay> relays = new CopyOnWriteArrayList<>();
    private final FaultInjector faults;
    private final CertificateAuthority authority;
    private volatile boolean started;
    private volatile String startFailure = "";

    private LabDaemon(LabFiles files, LabFiles.Ledger ledger, Programs programs) {
        this.files = files;
        this.programs = programs;
        this.layout = LabLayout.of(ledger.spec());
        this.timeline = new Timeline(files.timeline(), Clock.systemUTC());
        this.network = new LabNetwork(layout, programs);
        this.faults = new FaultInjector(layout, network, bmcs, timeline, programs);
        this.authority =
                CertificateAuthority.create(
                        "Tandem lab " + files.name(), Duration.ofDays(365), InstantSource.system());
        List<Path> layers = ledger.layers().stream().map(Path::of).toList();
        for (LabLayout.NodePlan plan : layout.nodes()) {
            nodes.put(
                    plan.name(),
                    new LabNode(layout, plan, files, layers, network, timeline, programs));
        }
    }

    /** The arguments are the directories of {@link LabPaths} and the lab's name. */
    public static void main(String[] arguments) throws IOException {
        LabPaths paths =
                new LabPaths(
                        Path.of(arguments[0]),
                        Path.of(arguments[1]),
                        Path.of(arguments[2]),
                        Path.of(arguments[3]));
        LabFiles files = new LabFiles(paths, arguments[4]);
        LabFiles.Ledger ledger =
                files.ledger()
                        .orElseThrow(
                                () -> new IllegalStateException("no ledger in " + files.run()));
        files.daemonStarted(ProcessId.ofThis());
        Programs programs = Programs.ofHost();
        hideOwnMounts(programs);
        try (LabDaemon daemon = new LabDaemon(files, ledger, programs);
                ServerSocketChannel control =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            // The name appears when somebody listens: between bind and listen, who calls is
            // refused.
            Path fresh = files.control().resolveSibling("control.new");
            control.bind(UnixDomainSocketAddress.of(fresh));
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-------"));
            Files.move(fresh, files.control(), StandardCopyOption.ATOMIC_MOVE);
            Runtime.getRuntime().addShutdownHook(new Thread(daemon::close, "end"));
            Thread.ofVirtual().name("start").start(daemon::start);
            daemon.serve(control);
        }
    }

    /**
     * Programs keep files below these directories that nobody outside may see or has to clean up:
     * named network namespaces, and what systemd-nspawn remembers of a machine.
     */
    private static void hideOwnMounts(Programs programs) throws IOException {
        for (Path directory : List.of(LabNetwork.NAMESPACES, Path.of("/run/systemd/nspawn"))) {
            Files.createDirectories(directory);
            programs.run(
                    "hide " + directory, "mount", "-t", "tmpfs", "tmpfs", directory.toString());
        }
    }

    /**
     * A node's mount namespace begins as a copy of the daemon's, and systemd-nspawn leaves that
     * copy in place under the node's own root, out of sight. So that no node keeps a file system of
     * the other from being unmounted, what is unmounted here is unmounted there too.
     */
    private void shareMounts() throws IOException {
        String place = Files.createDirectories(files.mounts()).toString();
        programs.run("make a place for disks", "mount", "--bind", place, place);
        programs.run("share the place for disks", "mount", "--make-shared", place);
    }

    static Path enterCgroupScript(LabFiles files) {
        return files.run().resolve("enter-cgroup.sh");
    }

    private void start() {
        try {
            timeline.record(new TimelineEvent.LabStarts(files.name()), Timeline.LAB);
            Files.writeString(enterCgroupScript(files), resource("enter-cgroup.sh"));
            shareMounts();
            network.create();
            String ca = Pem.encode(List.of(authority.certificate()));
            Files.writeString(files.authority(), ca);
            forAll(node -> {
                bmcs.put(
                        node.name(), LabBmc.start(node, layout.spec(), files, authority, timeline));
                node.prepare(Map.of("etc/tandem-lab/ca.pem", ca), pcsdIdentity(node));
                bmc(node.name()).power(LabRequest.PowerAction.ON);
            });
            for (LabLayout.NodePlan node : layout.nodes()) {
                relay("bmc of " + node.name(), node.bmcAddress(), LabBmc.PORT);
                relay("ssh of " + node.name(), node.primaryAddress(), SSH_PORT);
                if (layout.spec().hasKubernetes() && !node.name().equals(LabSpec.ARBITER)) {
                    relay("api of " + node.name(), node.primaryAddress(), API_PORT);
                }
            }
            if (layout.spec().hasKubernetes()) {
                relay("api", layout.apiAddress(), API_PORT);
            }
            started = true;
            timeline.record(new TimelineEvent.LabStarted(), Timeline.LAB);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            String why =
                    e instanceof Failure failure
                            ? failure.what() + ": " + failure.why()
                            : e.getMessage() == null ? "unexpected error" : e.getMessage();
            timeline.record(new TimelineEvent.Failed(why), Timeline.LAB);
            e.printStackTrace();
            startFailure = why;
        }
    }

    /** pcsd would make itself an RSA key at its first start, which takes a second of the boot. */
    private Map<String, String> pcsdIdentity(LabNode node) {
        TlsIdentity identity =
                authority.issue(
                        LeafProfile.server(
                                node.name(), List.of(node.name()), Duration.ofDays(365)));
        return Map.of(
                "var/lib/pcsd/pcsd.crt", Pem.encode(identity.chain()),
                "var/lib/pcsd/pcsd.key", Pem.encode(identity.key()));
    }

    /** What is done to a node. */
    private interface NodeAction {
        void on(LabNode node) throws IOException, InterruptedException;
    }

    private void forAll(NodeAction action) throws IOException, InterruptedException {
        List<Future<?>> results = new ArrayList<>();
        try (ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (LabNode node : nodes.values()) {
                results.add(
                        workers.submit(() -> {
                            action.on(node);
                            return null;
                        }));
            }
        }
        for (Future<?> result : results) {
            try {
                result.get();
            } catch (ExecutionException e) {
                switch (e.getCause()) {
                    case IOException io -> throw io;
                    case RuntimeException unchecked -> throw unchecked;
                    case null, default -> throw new IOException(e.getCause());
                }
            }
        }
    }

    private LabStatus.Relayed relay(String what, LabLayout.Address address, int port)
            throws IOException {
        PortRelay relay = PortRelay.open(what, address, port, network.switchNamespace());
        relays.add(relay);
        return relay.status();
    }

    private void serve(ServerSocketChannel control) throws IOException {
        while (true) {
            SocketChannel channel;
            try {
                channel = control.accept();
            } catch (ClosedChannelException e) {
                return;
            }
            Thread.ofVirtual().name("request").start(() -> converse(channel, control));
        }
    }

    private void converse(SocketChannel connection, ServerSocketChannel control) {
        try (connection) {
            BufferedReader reader =
                    new BufferedReader(Channels.newReader(connection, StandardCharsets.UTF_8));
            String line = reader.readLine();
            if (line == null) {
                return;
            }
            LabRequest request = Json.MAPPER.readValue(line, LabRequest.class);
            LabRequest.Answer answer;
            try {
                answer = new LabRequest.Answer(Json.MAPPER.valueToTree(perform(request)), null);
            } catch (Failure e) {
                answer =
                        new LabRequest.Answer(
                                null, new LabRequest.Refusal(e.what(), e.why(), e.remedy()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (IOException | RuntimeException e) {
                e.printStackTrace();
                answer =
                        new LabRequest.Answer(
                                null,
                                new LabRequest.Refusal(
                                        "lab " + files.name() + " could not do it",
                                        String.valueOf(e.getMessage()),
                                        "see " + files.daemonLog()));
            }
            ByteBuffer bytes = ByteBuffer.wrap(Json.line(answer).getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                connection.write(bytes);
            }
            if (request instanceof LabRequest.Down) {
                control.close();
            }
        } catch (IOException e) {
            // Who asked has gone away; there is nobody left to tell.
            System.err.println("request: " + e);
        }
    }

    private Object perform(LabRequest request) throws IOException, InterruptedException {
        return switch (request) {
            case LabRequest.Status() -> status();
            case LabRequest.Machine(String node) -> machine(bmc(node).node());
            case LabRequest.BootState(String node) ->
                    new LabStatus.BootState(stateOf(bmc(node).node()));
            case LabRequest.Processes(String node, String process) ->
                    new LabStatus.Processes(
                            FaultInjector.processesCalled(bmc(node).node(), process));
            case LabRequest.Power(String node, LabRequest.PowerAction action, boolean keepCache) ->
                    Map.of("node", node, "power", power(node, action, keepCache).redfishName());
            case LabRequest.Crash(String node, LabRequest.CrashKind how, boolean keepCache) ->
                    done(() -> faults.crash(node, how, keepCache));
            case LabRequest.Inject(NetworkFault fault) -> done(() -> faults.inject(fault));
            case LabRequest.Heal(String only) -> done(() -> faults.heal(only));
            case LabRequest.Freeze(String node, boolean frozen) ->
                    done(() -> faults.freeze(node, frozen));
            case LabRequest.Kill(String node, String process, String signal) ->
                    Map.of("count", faults.kill(node, process, signal));
            case LabRequest.Hold(String node, String process) ->
                    Map.of("count", faults.hold(node, process));
            case LabRequest.FillDisk(String node, LabRequest.Disk disk, int leaveMib) ->
                    done(() -> faults.disks(node).fill(disk, leaveMib));
            case LabRequest.StallDisks(String node, int millis) ->
                    done(() -> faults.disks(node).stall(millis));
            case LabRequest.Snapshot(String node) -> done(() -> faults.disks(node).snapshot());
            case LabRequest.RollBack(String node) -> done(() -> faults.disks(node).rollBack());
            case LabRequest.ReadState(String node, String file) ->
                    faults.state(node, file).map(text -> Map.of("text", text)).orElse(Map.of());
            case LabRequest.Corrupt(String node, String file, long offset, int length) ->
                    faults.corrupt(node, file, offset, length);
            case LabRequest.Bmc(String node, Map<String, JsonNode> changes) ->
                    faults.bmc(node, changes);
            case LabRequest.BmcStatus(String node) -> bmc(node).redfish().behaviour();
            case LabRequest.Relay(String node, int port) ->
                    relay(
                            "port %d of %s".formatted(port, node),
                            layout.node(node).primaryAddress(),
                            port);
            case LabRequest.BeginScenario(String name) ->
                    done(() ->
                            timeline.record(new TimelineEvent.ScenarioBegins(name), Timeline.LAB));
            case LabRequest.Down() -> done(this::close);
        };
    }

    private PowerState power(String name, LabRequest.PowerAction action, boolean keepCache)
            throws InterruptedException {
        LabBmc bmc = bmc(name);
        if (keepCache) {
            bmc.node().keepCache();
        }
        return bmc.power(action);
    }

    /** Something that is done rather than answered. */
    private interface Act {
        void perform() throws IOException, InterruptedException;
    }

    private static Map<String, String> done(Act act) throws IOException, InterruptedException {
        act.perform();
        return Map.of();
    }

    private LabBmc bmc(String name) {
        LabBmc bmc = bmcs.get(layout.node(name).name());
        if (bmc == null) {
            throw new Failure(
                    "cannot reach the BMC of " + name,
                    "lab " + files.name() + " is still starting",
                    "wait until tandem lab up has returned");
        }
        return bmc;
    }

    private LabStatus status() throws IOException {
        if (!startFailure.isEmpty()) {
            throw new Failure(
                    "lab " + files.name() + " did not start",
                    startFailure,
                    "end it with tandem lab down --name " + files.name());
        }
        List<LabStatus.Relayed> ports = new ArrayList<>();
        for (PortRelay relay : relays) {
            ports.add(relay.status());
        }
        List<LabStatus.Node> answers = new ArrayList<>();
        for (LabNode node : nodes.values()) {
            answers.add(statusOf(node));
        }
        return new LabStatus(
                files.name(),
                started && answers.stream().allMatch(one -> one.state() == LabStatus.State.UP),
                answers,
                ports,
                started ? faults.sentences() : List.of(),
                layout.apiAddress().ip(),
                ProcessHandle.current().pid());
    }

    private LabStatus.Node statusOf(LabNode node) throws IOException {
        LabLayout.NodePlan plan = node.plan();
        Map<String, List<String>> addresses = new LinkedHashMap<>();
        plan.interfaces()
                .forEach(one ->
                        addresses.put(
                                one.network().name(),
                                one.addresses().stream().map(LabLayout.Address::ip).toList()));
        return new LabStatus.Node(
                node.name(),
                stateOf(node),
                node.leader().orElse(null),
                node.runningSince().map(Object::toString).orElse(null),
                plan.uuid().toString(),
                addresses,
                "https://" + plan.bmcAddress().inUrl(),
                LabBmc.USER,
                LabBmc.passwordOf(node.name()),
                memoryMib(node));
    }

    private static LabStatus.Machine machine(LabNode node) throws IOException {
        return node.isRunning()
                ? new LabStatus.Machine(node.leader().orElse(null), node.cgroup().frozen())
                : new LabStatus.Machine(null, false);
    }

    private static LabStatus.State stateOf(LabNode node) throws IOException {
        if (!node.isRunning()) {
            return LabStatus.State.OFF;
        }
        if (node.cgroup().frozen()) {
            return LabStatus.State.FROZEN;
        }
        if (node.firstProcessIsHeld()) {
            // Whoever asks it gets no answer, and whoever waits for one is kept from everything.
            return LabStatus.State.BOOTING;
        }
        Commands.Output active =
                node.run(
                        IN_NODE_LIMIT,
                        List.of("systemctl", "is-active", "--quiet", "multi-user.target"),
                        "");
        return active.ok() ? LabStatus.State.UP : LabStatus.State.BOOTING;
    }

    /** Shared pages count in proportion: the sum over all nodes is what the host really spends. */
    private static long memoryMib(LabNode node) throws IOException {
        long kib = 0;
        for (long pid : node.cgroup().processes()) {
            kib += pssKib(pid);
        }
        return kib >> 10;
    }

    private static long pssKib(long pid) {
        try {
            return Files.readAllLines(Path.of("/proc/" + pid + "/smaps_rollup")).stream()
                    .filter(line -> line.startsWith("Pss:"))
                    .mapToLong(line -> Long.parseLong(line.split("\\s+", -1)[1]))
                    .sum();
        } catch (IOException e) {
            // Ended meanwhile: it spends nothing.
            return 0;
        }
    }

    static String resource(String name) {
        try (InputStream in = LabDaemon.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("resource " + name + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Cuts all power. Mounts, namespaces and loop devices go with the last process. */
    @Override
    public void close() {
        try {
            for (PortRelay relay : relays) {
                relay.close();
            }
            faults.letDisksGo();
            forAll(LabNode::end);
            for (LabBmc bmc : bmcs.values()) {
                bmc.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
