package dev.tandem.cli;

import dev.tandem.host.IoErrors;
import java.io.IOException;
import java.util.Optional;

/** Where the process begins. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        System.exit(run(Terminal.ofProcess(), arguments));
    }

    /** An answer that got lost, as on a full disk, is no success. */
    static int run(Terminal terminal, String... arguments) {
        int code = answer(terminal, arguments);
        Optional<IOException> lost = terminal.lost();
        lost.ifPresent(e -> {
            boolean done = code == ExitCode.FINE;
            terminal.err()
                    .println(
                            done
                                    ? "tandem: the work was done, but the answer could not be"
                                            + " written"
                                    : "tandem: the answer could not be written");
            terminal.err().println("cause: " + IoErrors.words(e));
            terminal.err()
                    .println(
                            done
                                    ? "fix: send the output where there is room; run it again only"
                                            + " if it changes nothing, for a change is made"
                                            + " already"
                                    : "fix: run it again with its output where there is room");
        });
        return lost.isPresent() && code == ExitCode.FINE ? ExitCode.COULD_NOT_ASK : code;
    }

    private static int answer(Terminal terminal, String... arguments) {
        // The shortest question gets the shortest way: no command has to be known to answer it.
        if (arguments.length == 1
                && (arguments[0].equals("--version") || arguments[0].equals("-V"))) {
            terminal.out().println(VersionCommand.Version.ofThis().asText());
            return ExitCode.FINE;
        }
        return CommandTree.of(terminal, arguments).run(arguments);
    }
}
