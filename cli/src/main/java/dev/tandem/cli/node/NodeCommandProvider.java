package dev.tandem.cli.node;

import dev.tandem.cli.CommandProvider;
import dev.tandem.cli.Terminal;
import java.util.List;

/**
 * Adds {@code tandem status}, {@code explain}, {@code confirm-peer-off}, {@code keep-history} and
 * {@code replicas}.
 */
public final class NodeCommandProvider implements CommandProvider {
    @Override
    public List<Object> commands(Terminal terminal) {
        return List.of(
                new StatusCommand(terminal),
                new ExplainCommand(terminal),
                new ConfirmPeerOffCommand(terminal),
                new KeepHistoryCommand(terminal),
                new ReplicasCommand());
    }
}
