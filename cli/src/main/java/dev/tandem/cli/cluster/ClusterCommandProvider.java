package dev.tandem.cli.cluster;

import dev.tandem.cli.CommandProvider;
import dev.tandem.cli.Terminal;
import java.util.List;

/** Adds {@code tandem cluster}, {@code certs} and {@code fencing} to the command line. */
public final class ClusterCommandProvider implements CommandProvider {
    @Override
    public List<Object> commands(Terminal terminal) {
        return List.of(new ClusterCommand(), new CertsCommand(), new FencingCommand());
    }
}
