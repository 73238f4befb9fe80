package dev.tandem.lab.spec;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.tandem.redfishsim.BmcEvent;
import java.util.Locale;

/**
 * What is done to a lab, or happens in it. The names in the file stand here and nowhere else; what
 * happens at a BMC is named in the file after its kind, such as {@code bmc-powered-off}.
 *
 * <p>Where an act takes time there are two: one before it begins, and one after it has ended.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = TimelineEvent.NAME)
@JsonSubTypes({
    @JsonSubTypes.Type(name = "lab-start", value = TimelineEvent.LabStarts.class),
    @JsonSubTypes.Type(name = "lab-started", value = TimelineEvent.LabStarted.class),
    @JsonSubTypes.Type(name = "scenario", value = TimelineEvent.ScenarioBegins.class),
    @JsonSubTypes.Type(name = "failed", value = TimelineEvent.Failed.class),
    @JsonSubTypes.Type(name = "power-on", value = TimelineEvent.PowerOn.class),
    @JsonSubTypes.Type(name = "power-button", value = TimelineEvent.PowerButton.class),
    @JsonSubTypes.Type(name = "shut-down", value = TimelineEvent.ShutDown.class),
    @JsonSubTypes.Type(name = "reboot", value = TimelineEvent.Reboot.class),
    @JsonSubTypes.Type(name = "power-cut", value = TimelineEvent.PowerCut.class),
    @JsonSubTypes.Type(name = "power-off", value = TimelineEvent.PowerOff.class),
    @JsonSubTypes.Type(name = "crash", value = TimelineEvent.Crash.class),
    @JsonSubTypes.Type(name = "crashed", value = TimelineEvent.Crashed.class),
    @JsonSubTypes.Type(name = "fault", value = TimelineEvent.FaultBegins.class),
    @JsonSubTypes.Type(name = "fault-in-force", value = TimelineEvent.FaultInForce.class),
    @JsonSubTypes.Type(name = "healed", value = TimelineEvent.Healed.class),
    @JsonSubTypes.Type(name = "freeze", value = TimelineEvent.Freeze.class),
    @JsonSubTypes.Type(name = "frozen", value = TimelineEvent.Frozen.class),
    @JsonSubTypes.Type(name = "thaw", value = TimelineEvent.Thaw.class),
    @JsonSubTypes.Type(name = "thawed", value = TimelineEvent.Thawed.class),
    @JsonSubTypes.Type(name = "kill", value = TimelineEvent.Kill.class),
    @JsonSubTypes.Type(name = "hold", value = TimelineEvent.Hold.class),
    @JsonSubTypes.Type(name = "held", value = TimelineEvent.Held.class),
    @JsonSubTypes.Type(name = "fill-disk", value = TimelineEvent.FillDisk.class),
    @JsonSubTypes.Type(name = "disk-full", value = TimelineEvent.DiskFull.class),
    @JsonSubTypes.Type(name = "disk-freed", value = TimelineEvent.DiskFreed.class),
    @JsonSubTypes.Type(name = "disks-stall", value = TimelineEvent.DisksStall.class),
    @JsonSubTypes.Type(name = "disks-move", value = TimelineEvent.DisksMove.class),
    @JsonSubTypes.Type(name = "snapshot", value = TimelineEvent.Snapshot.class),
    @JsonSubTypes.Type(name = "rolled-back", value = TimelineEvent.RolledBack.class),
    @JsonSubTypes.Type(name = "corrupt", value = TimelineEvent.Corrupt.class),
    @JsonSubTypes.Type(name = TimelineEvent.Bmc.PREFIX, value = TimelineEvent.Bmc.class),
})
public sealed interface TimelineEvent {
    /** The field that has the name. */
    String NAME = "event";

    /** What happened, for a person who knows to whom. */
    String sentence();

    record LabStarts(String name) implements TimelineEvent {
        @Override
        public String sentence() {
            return "lab %s starts".formatted(name);
        }
    }

    record LabStarted() implements TimelineEvent {
        @Override
        public String sentence() {
            return "the lab has started";
        }
    }

    record ScenarioBegins(String name) implements TimelineEvent {
        @Override
        public String sentence() {
            return "scenario: " + name;
        }
    }

    record Failed(String why) implements TimelineEvent {
        @Override
        public String sentence() {
            return "failed: " + why;
        }
    }

    /** The first process runs. */
    record PowerOn() implements TimelineEvent {
        @Override
        public String sentence() {
            return "power on";
        }
    }

    record PowerButton() implements TimelineEvent {
        @Override
        public String sentence() {
            return "power button pressed";
        }
    }

    /** A node ended on its own. */
    record ShutDown(int exit) implements TimelineEvent {
        @Override
        public String sentence() {
            return "shut down";
        }
    }

    /** A node ended on its own, to start again. */
    record Reboot(int exit) implements TimelineEvent {
        @Override
        public String sentence() {
            return "reboot";
        }
    }

    record PowerCut() implements TimelineEvent {
        @Override
        public String sentence() {
            return "power cut";
        }
    }

    /** All processes are gone. */
    record PowerOff() implements TimelineEvent {
        @Override
        public String sentence() {
            return "power off";
        }
    }

    record Crash(LabRequest.CrashKind how) implements TimelineEvent {
        @Override
        public String sentence() {
            return "crash: " + how;
        }
    }

    record Crashed(LabRequest.CrashKind how) implements TimelineEvent {
        @Override
        public String sentence() {
            return "crashed: " + how;
        }
    }

    record FaultBegins(NetworkFault what) implements TimelineEvent {
        @Override
        public String sentence() {
            return "network fault begins: " + what.sentence();
        }
    }

    record FaultInForce(NetworkFault what) implements TimelineEvent {
        @Override
        public String sentence() {
            return "network fault: " + what.sentence();
        }
    }

    record Healed() implements TimelineEvent {
        @Override
        public String sentence() {
            return "healed";
        }
    }

    record Freeze() implements TimelineEvent {
        @Override
        public String sentence() {
            return "freeze";
        }
    }

    record Frozen() implements TimelineEvent {
        @Override
        public String sentence() {
            return "frozen";
        }
    }

    record Thaw() implements TimelineEvent {
        @Override
        public String sentence() {
            return "thaw";
        }
    }

    record Thawed() implements TimelineEvent {
        @Override
        public String sentence() {
            return "thawed";
        }
    }

    record Kill(String process, String signal, int count) implements TimelineEvent {
        @Override
        public String sentence() {
            return "kill: SIG%s to %s (%d)".formatted(signal, process, count);
        }
    }

    record Hold(String process, int count) implements TimelineEvent {
        @Override
        public String sentence() {
            return "hold: %s (%d)".formatted(process, count);
        }
    }

    /** The kernel holds the processes: no signal ends them. */
    record Held(String process) implements TimelineEvent {
        @Override
        public String sentence() {
            return "held by the kernel: " + process;
        }
    }

    record FillDisk(LabRequest.Disk disk, int leavesMib) implements TimelineEvent {
        @Override
        public String sentence() {
            return "%s's disk is being filled up to %d MiB".formatted(disk.owner(), leavesMib);
        }
    }

    record DiskFull(LabRequest.Disk disk) implements TimelineEvent {
        @Override
        public String sentence() {
            return disk.owner() + "'s disk is full";
        }
    }

    record DiskFreed(LabRequest.Disk disk) implements TimelineEvent {
        @Override
        public String sentence() {
            return disk.owner() + "'s disk has space again";
        }
    }

    /** From now on nothing is written for this long, again and again. */
    record DisksStall(int millis) implements TimelineEvent {
        @Override
        public String sentence() {
            return "its disks stand still for %d ms at a time".formatted(millis);
        }
    }

    record DisksMove() implements TimelineEvent {
        @Override
        public String sentence() {
            return "its disks are as fast as before";
        }
    }

    record Snapshot() implements TimelineEvent {
        @Override
        public String sentence() {
            return "a copy of etcd's disk is kept";
        }
    }

    /** etcd's disk holds what it held when the copy was made. */
    record RolledBack() implements TimelineEvent {
        @Override
        public String sentence() {
            return "etcd's disk is rolled back";
        }
    }

    record Corrupt(String file, long offset, int length) implements TimelineEvent {
        @Override
        public String sentence() {
            return "corrupt: %d bytes of %s at %d".formatted(length, file, offset);
        }
    }

    /** At the BMC of a node. */
    record Bmc(BmcEvent.Kind kind, String by, String detail) implements TimelineEvent {
        static final String PREFIX = "bmc";
        static final String KIND = "kind";

        static Bmc of(BmcEvent event) {
            return new Bmc(event.kind(), event.by(), event.detail());
        }

        /** Not by somebody who has an account on it. */
        public boolean byLab() {
            return by.equals(BmcEvent.OWNER);
        }

        @Override
        public String sentence() {
            return "BMC: %s by %s: %s"
                    .formatted(kind.name().toLowerCase(Locale.ROOT).replace('_', ' '), by, detail);
        }
    }

    /** A line that this program does not understand: nothing may be concluded without it. */
    record Unknown(String name, String why) implements TimelineEvent {
        @Override
        public String sentence() {
            return "not understood: %s (%s)".formatted(name, why);
        }
    }
}
