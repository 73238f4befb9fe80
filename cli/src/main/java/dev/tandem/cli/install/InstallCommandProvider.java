package dev.tandem.cli.install;

import dev.tandem.cli.CommandProvider;
import dev.tandem.cli.Terminal;
import java.util.List;

/** Adds {@code install-config} and {@code create}. */
public final class InstallCommandProvider implements CommandProvider {
    @Override
    public List<Object> commands(Terminal terminal) {
        return List.of(new InstallConfigCommand(), new CreateCommand());
    }
}
