package dev.tandem.lab.command.fault;

import dev.tandem.cli.CommandProvider;
import dev.tandem.cli.Terminal;
import java.util.List;

/** Adds what can be done to a lab's nodes, networks and BMCs to {@code tandem lab}. */
public final class FaultCommands implements CommandProvider {
    @Override
    public String parent() {
        return "lab";
    }

    @Override
    public List<Object> commands(Terminal terminal) {
        return List.of(
                LabPowerCommand.class,
                LabCrashCommand.class,
                LabSplitCommand.class,
                LabDelayCommand.class,
                LabLossCommand.class,
                LabFreezeCommand.class,
                LabThawCommand.class,
                LabKillCommand.class,
                LabHoldCommand.class,
                LabFillDiskCommand.class,
                LabStallDisksCommand.class,
                LabSnapshotCommand.class,
                LabRollBackCommand.class,
                LabCorruptCommand.class,
                LabBmcCommand.class,
                LabHealCommand.class);
    }
}
