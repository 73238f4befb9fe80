package dev.tandem.host;

import java.time.Duration;
import java.util.List;

/**
 * Runs programs of this host. A command is a list, never a shell string, and always has a limit.
 */
public interface Commands {

    /**
     * Runs the command to its end, or kills it at the limit; its standard input is {@code stdin}.
     */
    Output run(Duration limit, List<String> command, String stdin);

    /** Runs the command with an empty standard input. */
    default Output run(Duration limit, List<String> command) {
        return run(limit, command, "");
    }

    /**
     * What a command left behind. A command that could not be started or ran into its limit is an
     * answer too: {@link #exitCode} is then {@link #NOT_STARTED} or {@link #TIMED_OUT} and {@link
     * #err} says why.
     */
    record Output(int exitCode, String out, String err) {
        public static final int NOT_STARTED = -1;
        public static final int TIMED_OUT = -2;

        public boolean ok() {
            return exitCode == 0;
        }
    }
}
