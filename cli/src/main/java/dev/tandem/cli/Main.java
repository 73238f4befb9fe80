package dev.tandem.cli;

/** Where the process begins. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        System.exit(new CommandTree(Terminal.ofProcess()).run(arguments));
    }
}
