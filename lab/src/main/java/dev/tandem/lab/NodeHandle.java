package dev.tandem.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.agentapi.client.AgentSocket;
import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import dev.tandem.lab.daemon.LabNode;
import dev.tandem.lab.spec.Json;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabStatus;
import dev.tandem.redfishsim.BmcBehaviour;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One node of a lab, from outside: what runs in it, its files, its power, and its faults. */
public final class NodeHandle {
    private final LabLayout.NodePlan plan;
    private final LabClient client;
    private final Artefacts artefacts;
    private final Commands host = new SystemCommands();

    NodeHandle(LabLayout.NodePlan plan, LabClient client, Artefacts artefacts) {
        this.plan = plan;
        this.client = client;
        this.artefacts = artefacts;
    }

    public String name() {
        return plan.name();
    }

    public LabLayout.NodePlan plan() {
        return plan;
    }

    public LabStatus.State state() {
        return client.ask(new LabRequest.BootState(name()), LabStatus.BootState.class).state();
    }

    public boolean isUp() {
        return state() == LabStatus.State.UP;
    }

    public boolean isOff() {
        return leader().isEmpty();
    }

    /** What the lab knows of it without asking it. */
    public LabStatus.Machine machine() {
        return client.ask(new LabRequest.Machine(name()), LabStatus.Machine.class);
    }

    /** The processes of a name that run in it, by their numbers on the host. */
    public List<Long> processes(String process) {
        return client.ask(new LabRequest.Processes(name(), process), LabStatus.Processes.class)
                .numbers();
    }

    /** Programs that run inside the node, for whatever takes {@link Commands}. */
    public Commands commands() {
        return (limit, command, stdin) -> {
            Optional<Long> leader = leader();
            return leader.isEmpty()
                    ? new Commands.Output(
                            Commands.Output.NOT_STARTED, "", name() + " is switched off")
                    : host.run(limit, LabNode.enter(leader.get(), command), stdin);
        };
    }

    /** The socket of the agent in it, reached without a program in it; none while it is off. */
    public Optional<AgentSocket> agent() {
        return leader().map(NodeHandle::agent);
    }

    public static AgentSocket agent(long leader) {
        return new AgentSocket(
                Path.of("/proc", String.valueOf(leader), "root")
                        .resolve(Path.of("/").relativize(AgentClient.SOCKET)));
    }

    /** The node's first process, by its number on the host; none while it is switched off. */
    Optional<Long> leader() {
        return Optional.ofNullable(machine().leader());
    }

    /** Runs a program in the node, whatever comes out. */
    public Commands.Output run(Duration limit, String... command) {
        return commands().run(limit, List.of(command));
    }

    /** Runs a program in the node that has to succeed, and returns what it printed. */
    public String must(Duration limit, String... command) {
        return must(limit, List.of(command), "");
    }

    public String must(Duration limit, List<String> command, String stdin) {
        Commands.Output output = commands().run(limit, command, stdin);
        if (!output.ok()) {
            artefacts.collect();
            throw new ExpectationFailed(
                    "%s on %s ended with %d: %s%s"
                            .formatted(
                                    String.join(" ", command),
                                    name(),
                                    output.exitCode(),
                                    output.out(),
                                    output.err()));
        }
        return output.out();
    }

    /** Writes a file in the node, with the directories above it. */
    public void write(String path, String mode, String content) {
        must(Duration.ofSeconds(10), replace(path, mode), content);
    }

    /** Copies a file of the host into the node, with the directories above it. */
    public void copy(Path file, String path, String mode) throws IOException, InterruptedException {
        List<String> command =
                LabNode.enter(leader().orElseThrow(() -> switchedOff()), replace(path, mode));
        Process process =
                new ProcessBuilder(command)
                        .redirectInput(file.toFile())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(
                    "cannot copy " + file + " to " + path + " on " + name() + ": " + said);
        }
    }

    /**
     * Puts standard input in the place of a file, whole: programs of the node may read it any time.
     * Hidden until then, so that nobody who looks through the directory takes it up.
     */
    private static List<String> replace(String path, String mode) {
        Path place = Path.of(path);
        String partial = place.resolveSibling("." + place.getFileName() + ".new").toString();
        // What a person puts there is meant to be there after a power cut.
        String sync = LabRequest.Disk.isOnOne(place) ? "; sync --file-system \"$3\"" : "";
        return List.of(
                "sh",
                "-ec",
                "install -D -m \"$1\" /dev/stdin \"$2\"; mv -fT \"$2\" \"$3\"" + sync,
                "sh",
                mode,
                partial,
                path);
    }

    private Failure switchedOff() {
        return new Failure(
                "cannot enter " + name(),
                "it is switched off",
                client.files().named("switch it on: tandem lab power " + name() + " on"));
    }

    /**
     * What this node's disk has beyond the image, as a directory of the host; there also while the
     * node is off. For reading only. The disks of etcd and of the agent are others.
     */
    public Path disk() {
        return client.files().disks().resolve(name()).resolve("upper");
    }

    /**
     * A file of the agent's state, read from the disk: there also while the node is off. Empty if
     * there is none of that name.
     */
    public Optional<String> agentFile(String file) {
        JsonNode answer = client.ask(new LabRequest.ReadState(name(), file));
        return answer.has("text") ? Optional.of(answer.get("text").asText()) : Optional.empty();
    }

    public String read(String path) {
        return must(Duration.ofSeconds(10), "cat", path);
    }

    /**
     * The power fails for a moment: all is gone at once, and what was not synced to the disks of
     * etcd and of the agent too. The node stays off.
     */
    public void cutPower() {
        crash(LabRequest.CrashKind.POWER);
    }

    public void crash(LabRequest.CrashKind how) {
        client.ask(new LabRequest.Crash(name(), how, false));
    }

    /** The power fails, and what was written and not synced survives as it never would. */
    public void cutPowerKeepingCache() {
        client.ask(new LabRequest.Crash(name(), LabRequest.CrashKind.POWER, true));
    }

    public void power(LabRequest.PowerAction action) {
        client.ask(new LabRequest.Power(name(), action, false));
    }

    public void freeze() {
        client.ask(new LabRequest.Freeze(name(), true));
    }

    public void thaw() {
        client.ask(new LabRequest.Freeze(name(), false));
    }

    /** Signals the processes of a name and returns how many there were. */
    public int kill(String process, String signal) {
        return client.ask(new LabRequest.Kill(name(), process, signal)).path("count").asInt();
    }

    /**
     * Has the kernel hold the processes of a name until the lab is healed or the power goes: no
     * signal ends them. Returns how many there were.
     */
    public int hold(String process) {
        return client.ask(new LabRequest.Hold(name(), process)).path("count").asInt();
    }

    public void fillDisk(LabRequest.Disk disk) {
        client.ask(new LabRequest.FillDisk(name(), disk, 0));
    }

    public void freeDisk(LabRequest.Disk disk) {
        client.ask(new LabRequest.FillDisk(name(), disk, -1));
    }

    /** Nothing is written to the disks of etcd and of the agent for this long, again and again. */
    public void stallDisks(Duration still) {
        client.ask(new LabRequest.StallDisks(name(), (int) still.toMillis()));
    }

    /** Keeps a copy of what etcd's disk holds now. */
    public void snapshot() {
        client.ask(new LabRequest.Snapshot(name()));
    }

    /** Puts the copy back, as a virtual machine's snapshot is; the node has to be off. */
    public void rollBack() {
        client.ask(new LabRequest.RollBack(name()));
    }

    /** Flips bytes of a file; doing it twice leaves the file as it was. */
    public void corrupt(String file, long offset, int length) {
        client.ask(new LabRequest.Corrupt(name(), file, offset, length));
    }

    /** Flips bytes in the middle of a file. */
    public void corrupt(String file, int length) {
        client.ask(new LabRequest.Corrupt(name(), file, -1, length));
    }

    /** Lets the node's BMC behave like this and no other way. */
    public void bmcBehaves(BmcBehaviour behaviour) {
        ObjectNode fields = Json.MAPPER.valueToTree(behaviour);
        Map<String, JsonNode> all = new HashMap<>();
        fields.properties().forEach(field -> all.put(field.getKey(), field.getValue()));
        client.ask(new LabRequest.Bmc(name(), all));
    }
}
