package dev.tandem.drill.command;

import dev.tandem.cli.CommandProvider;
import dev.tandem.cli.Terminal;
import java.util.List;

/** Adds {@code drill} and {@code bench} to {@code tandem lab}. */
public final class DrillCommands implements CommandProvider {
    @Override
    public String parent() {
        return "lab";
    }

    @Override
    public List<Object> commands(Terminal terminal) {
        return List.of(LabDrillCommand.class, LabBenchCommand.class);
    }
}
