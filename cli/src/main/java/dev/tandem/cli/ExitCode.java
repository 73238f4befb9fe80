package dev.tandem.cli;

/** What the command's exit code says to a script. */
public final class ExitCode {
    /** Done, and nothing is wrong. */
    public static final int FINE = 0;

    /** The question was answered, and the answer is that something is wrong. */
    public static final int FINDING = 1;

    /** The command was not understood; nothing was done. */
    public static final int USAGE = 2;

    /** The question could not be asked, or the change could not be made. */
    public static final int COULD_NOT_ASK = 3;

    private ExitCode() {}
}
