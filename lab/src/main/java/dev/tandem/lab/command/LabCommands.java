package dev.tandem.lab.command;

import dev.tandem.cli.CommandProvider;
import dev.tandem.cli.Terminal;
import java.util.List;

/** Adds {@code tandem lab} to the command line. */
public final class LabCommands implements CommandProvider {
    @Override
    public List<Object> commands(Terminal terminal) {
        return List.of(new LabCommand());
    }
}
