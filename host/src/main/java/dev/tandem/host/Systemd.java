package dev.tandem.host;

import dev.tandem.core.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** systemd of this host, asked and told by {@code systemctl}. */
public final class Systemd {
    private final Commands commands;

    public Systemd(Commands commands) {
        this.commands = commands;
    }

    /** What became of one call. */
    public record Result(List<String> command, Commands.Output output) {
        public boolean ok() {
            return output.ok();
        }

        /** Fails if the call has. */
        public void orFail(String remedy) {
            if (!ok()) {
                throw new Failure(
                        String.join(" ", command) + " failed", output.err().strip(), remedy);
            }
        }
    }

    /** Whether systemd itself answers: whatever is to be started or stopped needs it. */
    public boolean answers(Duration limit) {
        return systemctl(limit, "show", "--property=Version").ok();
    }

    /** Makes systemd read its unit files again. */
    public Result daemonReload(Duration limit) {
        return systemctl(limit, "daemon-reload");
    }

    /** Starts a unit and waits until it is ready or has failed. */
    public Result start(Duration limit, String unit) {
        return systemctl(limit, "start", unit);
    }

    /** Orders the start of a unit and does not wait for it. */
    public Result orderStart(Duration limit, String unit) {
        return systemctl(limit, "start", "--no-block", unit);
    }

    /** Orders the stop of a unit and does not wait for it. */
    public Result orderStop(Duration limit, String unit) {
        return systemctl(limit, "stop", "--no-block", unit);
    }

    /** Stops a unit and waits until it has stopped. */
    public Result stop(Duration limit, String unit) {
        return systemctl(limit, "stop", unit);
    }

    /** Restarts a unit that runs; one that does not stays as it is. */
    public Result tryRestart(Duration limit, String unit) {
        return systemctl(limit, "try-restart", unit);
    }

    /** Forgets that a unit has failed, and how often it was started. */
    public Result resetFailed(Duration limit, String unit) {
        return systemctl(limit, "reset-failed", unit);
    }

    /** Ties units to what their files say they are installed for. */
    public Result enable(Duration limit, List<String> units) {
        List<String> arguments = new ArrayList<>(List.of("enable"));
        arguments.addAll(units);
        return systemctl(limit, arguments.toArray(String[]::new));
    }

    /** Lets a unit start at boot, and starts it now. */
    public Result enableNow(Duration limit, String unit) {
        return systemctl(limit, "enable", "--now", unit);
    }

    /** Keeps a unit from starting at boot; one that runs goes on. */
    public Result disable(Duration limit, String unit) {
        return systemctl(limit, "disable", unit);
    }

    /** Whether there is a unit of that name. */
    public boolean exists(Duration limit, String unit) {
        return systemctl(limit, "cat", unit).ok();
    }

    /** active, inactive, failed, activating and so on; empty if systemd did not answer. */
    public String activeState(Duration limit, String unit) {
        return systemctl(limit, "is-active", unit).output().out().strip();
    }

    /** Asks for properties of a unit; {@link #properties} reads them. */
    public Result show(Duration limit, String unit, List<String> properties) {
        return systemctl(limit, "show", "--property=" + String.join(",", properties), unit);
    }

    /** What {@link #show} has printed: one property a line, with an equals sign. */
    public static Map<String, String> properties(Result shown) {
        Map<String, String> properties = new HashMap<>();
        shown.output()
                .out()
                .lines()
                .forEach(line -> {
                    int equals = line.indexOf('=');
                    if (equals > 0) {
                        properties.put(line.substring(0, equals), line.substring(equals + 1));
                    }
                });
        return properties;
    }

    private Result systemctl(Duration limit, String... arguments) {
        List<String> command = new ArrayList<>(List.of("systemctl"));
        command.addAll(List.of(arguments));
        return new Result(List.copyOf(command), commands.run(limit, command));
    }
}
