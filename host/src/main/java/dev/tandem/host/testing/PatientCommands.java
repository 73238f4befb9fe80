package dev.tandem.host.testing;

import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import java.time.Duration;
import java.util.List;

/**
 * The real programs with more time. Limits are made for a node; a machine that runs tests may be
 * several times slower, and a program that hangs is still ended.
 */
public record PatientCommands() implements Commands {
    private static final int TIMES = 10;

    @Override
    public Output run(Duration limit, List<String> command, String stdin) {
        return new SystemCommands().run(limit.multipliedBy(TIMES), command, stdin);
    }
}
