package dev.tandem.cli.node;

import dev.tandem.cli.CommandProvider;
import dev.tandem.cli.Terminal;
import java.util.List;

/** Adds {@code tandem status}, {@code explain} and {@code confirm-peer-off}. */
public final class NodeCommands implements CommandProvider {
    @Override
    public List<Object> commands(Terminal terminal) {
        return List.of(
                new StatusCommand(terminal),
                new ExplainCommand(terminal),
                new ConfirmPeerOffCommand(terminal));
    }
}
