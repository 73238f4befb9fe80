package dev.tandem.cli;

/** Where the process begins. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        System.exit(run(Terminal.ofProcess(), arguments));
    }

    static int run(Terminal terminal, String... arguments) {
        // The shortest question gets the shortest way: no command has to be known to answer it.
        if (arguments.length == 1
                && (arguments[0].equals("--version") || arguments[0].equals("-V"))) {
            terminal.out().println(VersionCommand.Version.ofThis().asText());
            return ExitCode.FINE;
        }
        return CommandTree.of(terminal, arguments).run(arguments);
    }
}
