package dev.tandem.lab.spec;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.host.NodePaths;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What can be asked of a lab's daemon: one JSON object on a line. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
    @JsonSubTypes.Type(value = LabRequest.Status.class, name = "status"),
    @JsonSubTypes.Type(value = LabRequest.Machine.class, name = "machine"),
    @JsonSubTypes.Type(value = LabRequest.BootState.class, name = "boot-state"),
    @JsonSubTypes.Type(value = LabRequest.Processes.class, name = "processes"),
    @JsonSubTypes.Type(value = LabRequest.Power.class, name = "power"),
    @JsonSubTypes.Type(value = LabRequest.Crash.class, name = "crash"),
    @JsonSubTypes.Type(value = LabRequest.Inject.class, name = "inject"),
    @JsonSubTypes.Type(value = LabRequest.Heal.class, name = "heal"),
    @JsonSubTypes.Type(value = LabRequest.Freeze.class, name = "freeze"),
    @JsonSubTypes.Type(value = LabRequest.Kill.class, name = "kill"),
    @JsonSubTypes.Type(value = LabRequest.Hold.class, name = "hold"),
    @JsonSubTypes.Type(value = LabRequest.FillDisk.class, name = "fill-disk"),
    @JsonSubTypes.Type(value = LabRequest.StallDisks.class, name = "stall-disks"),
    @JsonSubTypes.Type(value = LabRequest.Snapshot.class, name = "snapshot"),
    @JsonSubTypes.Type(value = LabRequest.RollBack.class, name = "roll-back"),
    @JsonSubTypes.Type(value = LabRequest.ReadState.class, name = "read-state"),
    @JsonSubTypes.Type(value = LabRequest.Corrupt.class, name = "corrupt"),
    @JsonSubTypes.Type(value = LabRequest.Bmc.class, name = "bmc"),
    @JsonSubTypes.Type(value = LabRequest.BmcStatus.class, name = "bmc-status"),
    @JsonSubTypes.Type(value = LabRequest.Relay.class, name = "relay"),
    @JsonSubTypes.Type(value = LabRequest.BeginScenario.class, name = "begin-scenario"),
    @JsonSubTypes.Type(value = LabRequest.Down.class, name = "down"),
})
public sealed interface LabRequest {

    /** How is everything? */
    record Status() implements LabRequest {}

    /**
     * Has a node power, and does it run? Answered without asking the node, as often as one likes.
     */
    record Machine(String node) implements LabRequest {}

    /** How far is a node? */
    record BootState(String node) implements LabRequest {}

    /** Which processes of a name run in a node, by their numbers on the host? */
    record Processes(String node, String process) implements LabRequest {}

    /**
     * Ask a node's BMC for something.
     *
     * @param keepCache what was written and not synced survives, should the power be cut by this
     */
    record Power(String node, PowerAction action, boolean keepCache) implements LabRequest {}

    /**
     * Cut a node's power.
     *
     * @param how what exactly happens to it
     * @param keepCache what was written and not synced survives
     */
    record Crash(String node, CrashKind how, boolean keepCache) implements LabRequest {}

    /** Break something in the network. */
    record Inject(NetworkFault fault) implements LabRequest {}

    /** Remove faults: on one network, or all of them when it is empty. */
    record Heal(String network) implements LabRequest {}

    /** Stop every process of a node, or let them go on. */
    record Freeze(String node, boolean frozen) implements LabRequest {}

    /** Send a signal to the processes of a name. */
    record Kill(String node, String process, String signal) implements LabRequest {}

    /** Have the kernel hold the processes of a name, so that no signal ends them. */
    record Hold(String node, String process) implements LabRequest {}

    /** Fill a file system up to this many free MiB, or free it again when negative. */
    record FillDisk(String node, Disk disk, int leaveMib) implements LabRequest {}

    /** Have the disks of a node stand still again and again for this long; 0 ends it. */
    record StallDisks(String node, int millis) implements LabRequest {}

    /** Keep a copy of what etcd's disk holds now. */
    record Snapshot(String node) implements LabRequest {}

    /** Put that copy in the place of what etcd's disk holds, while the node is off. */
    record RollBack(String node) implements LabRequest {}

    /** What a file of the agent's state holds; also of a node that is off. */
    record ReadState(String node, String file) implements LabRequest {}

    /** Flip bytes of a file; a negative offset stands for its middle. */
    record Corrupt(String node, String file, long offset, int length) implements LabRequest {}

    /** Change fields of a BMC's behaviour; with none it is faultless again. */
    record Bmc(String node, Map<String, JsonNode> changes) implements LabRequest {
        public Bmc {
            changes = Map.copyOf(changes);
        }
    }

    /** How does a BMC behave? */
    record BmcStatus(String node) implements LabRequest {}

    /** Lead a port of the host's loopback to a port of a node. */
    record Relay(String node, int port) implements LabRequest {}

    /** Write into the timeline that a scenario of a drill begins. */
    record BeginScenario(String name) implements LabRequest {}

    /** Cut all power and end. */
    record Down() implements LabRequest {}

    /** What a BMC can do to its machine. */
    enum PowerAction {
        ON,
        OFF,
        CYCLE,
        SHUTDOWN,
        STATUS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A file system of a node that is one of its own. */
    enum Disk {
        /** etcd's replicas. */
        ETCD,
        /** What the agent remembers, and its plan and keys. */
        TANDEM;

        /** The directories of a node that lie on it. */
        public List<Path> places() {
            return switch (this) {
                case ETCD -> List.of(NodePaths.REPLICAS);
                case TANDEM -> List.of(NodePaths.STATE, NodePaths.CONFIGURATION);
            };
        }

        /** Whether a file of a node lies on one of these disks. */
        public static boolean isOnOne(Path file) {
            return Stream.of(values())
                    .flatMap(disk -> disk.places().stream())
                    .anyMatch(file::startsWith);
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whose disk it is, for a sentence. */
        public String owner() {
            return switch (this) {
                case ETCD -> "etcd";
                case TANDEM -> "Tandem";
            };
        }
    }

    /** How a node dies. */
    enum CrashKind {
        /** The power fails for a moment: the machine is off and can be switched on again. */
        POWER,
        /** The plug is out until somebody heals: nothing can switch the machine on. */
        PLUG,
        /** The kernel stops: nothing runs and nothing answers, and the BMC still reads On. */
        PANIC;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The daemon's answer: one of the two is set. */
    record Answer(@Nullable JsonNode result, @Nullable Refusal refusal) {}

    /** A {@link dev.tandem.core.Failure} on its way to the command line. */
    record Refusal(String what, String why, String remedy) {}
}
