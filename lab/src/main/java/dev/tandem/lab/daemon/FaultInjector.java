package dev.tandem.lab.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.Failure;
import dev.tandem.host.NodePaths;
import dev.tandem.lab.linux.LabSyscalls;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.Json;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.NetworkFault;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import dev.tandem.redfishsim.BmcBehaviour;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Breaks things on purpose, keeps a list of what is broken, and repairs it. */
final class FaultInjector {
    private static final Set<String> SHELLS = Set.of("sh", "dash", "bash");

    private static final Map<String, Integer> SIGNALS =
            Map.ofEntries(
                    Map.entry("HUP", 1),
                    Map.entry("INT", 2),
                    Map.entry("QUIT", 3),
                    Map.entry("ABRT", 6),
                    Map.entry("KILL", 9),
                    Map.entry("USR1", 10),
                    Map.entry("SEGV", 11),
                    Map.entry("USR2", 12),
                    Map.entry("TERM", 15),
                    Map.entry("CONT", 18),
                    Map.entry("STOP", 19));

    private final LabLayout layout;
    private final LabNetwork network;
    private final Map<String, LabBmc> bmcs;
    private final Timeline timeline;
    private final Programs programs;
    private final List<NetworkFault> inNetwork = new ArrayList<>();
    private final Map<String, DiskFaults> disks = new ConcurrentHashMap<>();

    FaultInjector(
            LabLayout layout,
            LabNetwork network,
            Map<String, LabBmc> bmcs,
            Timeline timeline,
            Programs programs) {
        this.layout = layout;
        this.network = network;
        this.bmcs = bmcs;
        this.timeline = timeline;
        this.programs = programs;
    }

    private LabBmc bmc(String node) {
        return Objects.requireNonNull(bmcs.get(layout.node(node).name()));
    }

    /** What can be done to the disks of a node. */
    DiskFaults disks(String node) {
        LabNode of = bmc(node).node();
        return disks.computeIfAbsent(of.name(), _ -> new DiskFaults(of, timeline, programs));
    }

    /** A file system that is frozen at the end of the lab would outlive it. */
    void letDisksGo() throws IOException {
        for (DiskFaults each : disks.values()) {
            each.stall(0);
        }
    }

    /** What is broken right now, in words. */
    synchronized List<String> sentences() throws IOException {
        List<String> sentences = new ArrayList<>();
        inNetwork.forEach(fault -> sentences.add(fault.sentence()));
        for (LabBmc bmc : bmcs.values()) {
            LabNode node = bmc.node();
            if (node.panicked()) {
                sentences.add("the kernel of " + node.name() + " panicked");
            } else if (node.isRunning() && node.cgroup().frozen()) {
                sentences.add(node.name() + " is frozen");
            }
            if (node.held().any()) {
                sentences.add("the kernel of " + node.name() + " holds a process");
            }
            if (node.plugOut()) {
                sentences.add("the plug of " + node.name() + " is out");
            }
            sentences.addAll(disks(node.name()).sentences());
            if (!bmc.redfish().behaviour().equals(BmcBehaviour.FAULTLESS)) {
                sentences.add("the BMC of " + node.name() + " misbehaves");
            }
        }
        return sentences;
    }

    void crash(String name, LabRequest.CrashKind how, boolean keepCache) throws IOException {
        LabBmc bmc = bmc(name);
        if (keepCache) {
            bmc.node().keepCache();
        }
        timeline.record(new TimelineEvent.Crash(how), name);
        switch (how) {
            case POWER -> {
                bmc.redfish().pullPlug();
                bmc.redfish().replug();
            }
            case PLUG -> {
                bmc.node().setPlugOut(true);
                bmc.redfish().pullPlug();
            }
            case PANIC -> bmc.node().panic();
        }
        timeline.record(new TimelineEvent.Crashed(how), name);
    }

    synchronized void inject(NetworkFault fault) throws IOException {
        List<NetworkFault> next = new ArrayList<>(inNetwork);
        if (fault instanceof NetworkFault.Delay delay) {
            // One cable has one length: a new delay takes the place of the old one.
            next.removeIf(other ->
                    other instanceof NetworkFault.Delay old
                            && old.node().equals(delay.node())
                            && old.network().equals(delay.network()));
        }
        if (!next.contains(fault)) {
            next.add(fault);
        }
        timeline.record(new TimelineEvent.FaultBegins(fault), fault.network());
        apply(next);
        timeline.record(new TimelineEvent.FaultInForce(fault), fault.network());
    }

    private void apply(List<NetworkFault> next) throws IOException {
        network.filter(Firewall.rules(layout, next));
        network.delay(
                next.stream()
                        .filter(NetworkFault.Delay.class::isInstance)
                        .map(NetworkFault.Delay.class::cast)
                        .toList());
        network.unplug(
                next.stream()
                        .filter(NetworkFault.Unplugged.class::isInstance)
                        .map(NetworkFault.Unplugged.class::cast)
                        .toList());
        inNetwork.clear();
        inNetwork.addAll(next);
    }

    /** Removes the faults of the network, and all others too unless one network is named. */
    synchronized void heal(String onlyNetwork) throws IOException {
        if (!onlyNetwork.isEmpty()) {
            String name = layout.network(onlyNetwork).name();
            apply(inNetwork.stream().filter(fault -> !fault.network().equals(name)).toList());
            timeline.record(new TimelineEvent.Healed(), name);
            return;
        }
        apply(List.of());
        for (LabBmc bmc : bmcs.values()) {
            LabNode node = bmc.node();
            if (node.plugOut()) {
                node.setPlugOut(false);
                bmc.redfish().replug();
            }
            if (node.isRunning() && !node.panicked() && node.cgroup().frozen()) {
                node.cgroup().freeze(false);
            }
            node.held().release();
            disks(node.name()).heal();
            if (!bmc.redfish().behaviour().equals(BmcBehaviour.FAULTLESS)) {
                bmc.redfish().behave(BmcBehaviour.FAULTLESS);
            }
        }
        timeline.record(new TimelineEvent.Healed(), Timeline.LAB);
    }

    void freeze(String name, boolean frozen) throws IOException {
        LabNode node = bmc(name).node();
        requireRunning(node);
        if (node.panicked()) {
            throw new Failure(
                    "cannot thaw " + name,
                    "its kernel panicked",
                    "switch it off and on: tandem lab power " + name + " cycle");
        }
        timeline.record(frozen ? new TimelineEvent.Freeze() : new TimelineEvent.Thaw(), name);
        node.cgroup().freeze(frozen);
        timeline.record(frozen ? new TimelineEvent.Frozen() : new TimelineEvent.Thawed(), name);
    }

    private static void requireRunning(LabNode node) {
        if (!node.isRunning()) {
            throw new Failure(
                    "cannot do this to " + node.name(),
                    "it is switched off",
                    "switch it on: tandem lab power " + node.name() + " on");
        }
    }

    /** Signals every process of that name and returns how many there were. */
    int kill(String name, String process, String signal) throws IOException {
        LabNode node = bmc(name).node();
        requireRunning(node);
        String shortName = signal.toUpperCase(Locale.ROOT).replaceFirst("^SIG", "");
        Integer number = SIGNALS.get(shortName);
        if (number == null) {
            throw new Failure(
                    "unknown signal: " + signal,
                    "the known signals are "
                            + String.join(" ", SIGNALS.keySet().stream().sorted().toList()),
                    "name one of those");
        }
        List<Long> victims = called(node, process);
        timeline.record(new TimelineEvent.Kill(process, shortName, victims.size()), name);
        for (long pid : victims) {
            LabSyscalls.kill(pid, number);
        }
        return victims.size();
    }

    /** Has the kernel hold every process of that name and returns how many there were. */
    int hold(String name, String process) throws IOException, InterruptedException {
        LabNode node = bmc(name).node();
        requireRunning(node);
        List<Long> victims = called(node, process);
        timeline.record(new TimelineEvent.Hold(process, victims.size()), name);
        node.held().hold(victims);
        timeline.record(new TimelineEvent.Held(process), name);
        return victims.size();
    }

    private static List<Long> called(LabNode node, String process) throws IOException {
        List<Long> victims = processesCalled(node, process);
        if (victims.isEmpty()) {
            throw new Failure(
                    "cannot do this on " + node.name(),
                    "no process called " + process + " runs there",
                    "see which do: tandem lab shell " + node.name() + " -- ps -eo pid,comm");
        }
        return victims;
    }

    static List<Long> processesCalled(LabNode node, String process) throws IOException {
        return node.cgroup().processes().stream().filter(pid -> isCalled(pid, process)).toList();
    }

    /**
     * The kernel cuts a process's name after 15 characters; its first argument is whole. A script
     * for the shell has its file's name too: that of the resource agent is etcd, and nobody who
     * kills etcd means to kill that.
     */
    private static boolean isCalled(long pid, String name) {
        try {
            Path directory = Path.of("/proc/" + pid);
            Path executable = Files.readSymbolicLink(directory.resolve("exe")).getFileName();
            if (executable != null && SHELLS.contains(executable.toString())) {
                return executable.toString().equals(name);
            }
            String comm = Files.readString(directory.resolve("comm")).strip();
            String command = Files.readString(directory.resolve("cmdline"));
            int end = command.indexOf('\0');
            String program = end < 0 ? command : command.substring(0, end);
            return comm.equals(name)
                    || program.equals(name)
                    || program.substring(program.lastIndexOf('/') + 1).equals(name);
        } catch (IOException e) {
            // Ended meanwhile.
            return false;
        }
    }

    /** Flips bytes in a file of a node and tells where. */
    Map<String, String> corrupt(String name, String file, long offset, int length)
            throws IOException {
        LabNode node = bmc(name).node();
        return node.disks().use(() -> corrupt(node, file, offset, length));
    }

    private Map<String, String> corrupt(LabNode node, String file, long offset, int length)
            throws IOException {
        Path path = locate(node, file);
        long size = Files.size(path);
        long start = offset < 0 ? Math.max(0, size / 2 - length / 2) : offset;
        if (length < 1 || start + length > Math.max(size, length) || start >= size) {
            throw new Failure(
                    "cannot corrupt " + file,
                    "it has %d bytes, and %d at %d were to be changed"
                            .formatted(size, length, start),
                    "choose --offset and --length within the file");
        }
        Map<String, String> detail =
                Map.of("file", file, "offset", "" + start, "length", "" + length);
        timeline.record(new TimelineEvent.Corrupt(file, start, length), node.name());
        try (RandomAccessFile access = new RandomAccessFile(path.toFile(), "rw")) {
            byte[] bytes = new byte[(int) Math.min(length, size - start)];
            access.seek(start);
            access.readFully(bytes);
            for (int index = 0; index < bytes.length; index++) {
                bytes[index] = (byte) ~bytes[index];
            }
            access.seek(start);
            access.write(bytes);
            access.getFD().sync();
        }
        return detail;
    }

    /** A file of the agent's state, as far as it is text; empty if there is none. */
    Optional<String> state(String name, String file) throws IOException {
        LabNode node = bmc(name).node();
        Path state = node.disks().directory(NodePaths.STATE);
        Path path = state.resolve(file);
        if (!state.equals(path.getParent())) {
            throw new Failure(
                    "no file " + file + " of the agent's",
                    "it is not the name of a file",
                    "name one of those in " + NodePaths.STATE);
        }
        return node.disks()
                .use(() ->
                        Files.exists(path)
                                ? Optional.of(
                                        new String(
                                                Files.readAllBytes(path), StandardCharsets.UTF_8))
                                : Optional.empty());
    }

    /** A link inside a node that leads out of its disk must not lead to a file of the host. */
    private static Path locate(LabNode node, String file) throws IOException {
        if (!file.startsWith("/")) {
            throw new Failure(
                    "not an absolute path: " + file,
                    "a path in a node must be absolute",
                    "begin it with a slash");
        }
        Path inNode = Path.of(file).normalize();
        Optional<Path> onDisk = node.disks().locate(inNode);
        Path root = (onDisk.isPresent() ? node.disks().mounts() : node.root()).toRealPath();
        Path path = onDisk.orElseGet(() -> root.resolve(inNode.toString().substring(1)));
        if (!Files.isRegularFile(path) || !path.toRealPath().startsWith(root)) {
            throw new Failure(
                    "no file " + file + " on " + node.name(),
                    "its disk has no regular file of that name",
                    "see what is there: tandem lab shell " + node.name() + " -- ls -l " + file);
        }
        return path;
    }

    /** Changes fields of a BMC's behaviour; with none it is faultless again. */
    BmcBehaviour bmc(String name, Map<String, JsonNode> changes) {
        LabBmc bmc = bmc(name);
        ObjectNode merged =
                Json.MAPPER.valueToTree(
                        changes.isEmpty() ? BmcBehaviour.FAULTLESS : bmc.redfish().behaviour());
        changes.forEach((field, value) -> {
            if (!merged.has(field)) {
                throw unknownField(field, merged);
            }
            merged.set(field, value);
        });
        BmcBehaviour next;
        try {
            next = Json.MAPPER.treeToValue(merged, BmcBehaviour.class);
        } catch (IOException | IllegalArgumentException e) {
            throw new Failure(
                    "the BMC of " + name + " stays as it is",
                    String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
                    "see tandem lab bmc --help",
                    e);
        }
        bmc.redfish().behave(next);
        return next;
    }

    private static Failure unknownField(String field, ObjectNode known) {
        return new Failure(
                "unknown BMC setting: " + field,
                "a virtual BMC has these settings: " + String.join(", ", names(known)),
                "name one of those");
    }

    private static List<String> names(ObjectNode node) {
        List<String> names = new ArrayList<>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
