package dev.tandem.host.pacemaker;

import dev.tandem.host.Commands;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The settings with which Corosync runs now, whatever corosync.conf and the plan say: a change is
 * in use only when Corosync has read it.
 */
public final class CorosyncRuntime {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Commands commands;

    public CorosyncRuntime(Commands commands) {
        this.commands = commands;
    }

    /** A setting of totem; empty where Corosync does not tell. */
    public Optional<String> totem(String key) {
        // A line such as: runtime.config.totem.token (u32) = 1000
        Commands.Output output =
                commands.run(
                        LIMIT, List.of("corosync-cmapctl", "-g", "runtime.config.totem." + key));
        int equals = output.out().indexOf('=');
        return output.ok() && equals >= 0
                ? Optional.of(output.out().substring(equals + 1).strip())
                : Optional.empty();
    }

    /** By when a node that says nothing has been missed: token and consensus. */
    public Optional<Duration> missedAfter() {
        return millis("token").flatMap(token -> millis("consensus").map(token::plus));
    }

    private Optional<Duration> millis(String key) {
        return totem(key)
                .filter(value -> value.matches("[0-9]{1,9}"))
                .map(value -> Duration.ofMillis(Long.parseLong(value)));
    }
}
