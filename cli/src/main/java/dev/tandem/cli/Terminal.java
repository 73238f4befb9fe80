package dev.tandem.cli;

import dev.tandem.core.Failure;
import dev.tandem.host.Secrets;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a command writes and asks: the answer to {@link #out}, everything said on the way to {@link
 * #err}.
 */
public final class Terminal {
    private static final String STANDARD_INPUT = "standard input";

    private final WatchedOutput answer;
    private final PrintWriter out;
    private final PrintWriter err;
    private final InputStream raw;
    private final BufferedReader in;
    private final boolean inIsTerminal;
    private final boolean outIsTerminal;
    private final boolean errIsTerminal;
    private final boolean redrawAllowed;
    private boolean colourAllowed;

    Terminal(
            InputStream in,
            OutputStream out,
            OutputStream err,
            boolean inIsTerminal,
            boolean outIsTerminal,
            boolean errIsTerminal,
            boolean redrawAllowed,
            boolean colourAllowed) {
        this.raw = in;
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        this.answer = new WatchedOutput(out);
        this.out = new PrintWriter(answer, true, StandardCharsets.UTF_8);
        this.err = new PrintWriter(err, true, StandardCharsets.UTF_8);
        this.inIsTerminal = inIsTerminal;
        this.outIsTerminal = outIsTerminal;
        this.errIsTerminal = errIsTerminal;
        this.redrawAllowed = redrawAllowed;
        this.colourAllowed = colourAllowed;
    }

    /**
     * The process's own streams; colour is off where NO_COLOR is set (no-color.org) or the terminal
     * is dumb.
     */
    public static Terminal ofProcess() {
        String noColor = System.getenv("NO_COLOR");
        boolean dumb = "dumb".equals(System.getenv("TERM"));
        boolean colour = (noColor == null || noColor.isEmpty()) && !dumb;
        return new Terminal(
                System.in,
                new FileOutputStream(FileDescriptor.out),
                System.err,
                isTerminal(0),
                isTerminal(1),
                isTerminal(2),
                !dumb,
                colour);
    }

    /**
     * Java's Console tells of input and output only together; the links below /proc tell of each.
     */
    private static boolean isTerminal(int descriptor) {
        try {
            String target =
                    Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
            return target.startsWith("/dev/pts/")
                    || target.startsWith("/dev/tty")
                    || target.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }

    public PrintWriter out() {
        return out;
    }

    /** Why the answer, or a part of it, did not get to where it was to go. */
    Optional<IOException> lost() {
        out.flush();
        return answer.lost();
    }

    public PrintWriter err() {
        return err;
    }

    /** Whether the answer may carry colour. */
    public boolean colour() {
        return colourAllowed && outIsTerminal;
    }

    /** Whether lines on {@link #err} may be drawn over. */
    public boolean canRedraw() {
        return errIsTerminal && redrawAllowed;
    }

    /** Whether somebody is there to answer a question. */
    public boolean interactive() {
        return inIsTerminal && errIsTerminal;
    }

    void forbidColour() {
        colourAllowed = false;
    }

    /**
     * One line of standard input that nobody is to see: typed without an echo, or piped. Before
     * anything else is read from there.
     */
    public String secret(String question) {
        if (!inIsTerminal) {
            return Secrets.read(raw, STANDARD_INPUT);
        }
        char[] typed =
                Optional.ofNullable(System.console())
                        .orElseThrow(() ->
                                new Failure(
                                        "cannot ask for the password",
                                        "the output is no terminal, so what is typed would be"
                                                + " shown",
                                        "give it as a file, or through a pipe"))
                        .readPassword("%s: ", question);
        byte[] bytes =
                typed == null ? new byte[0] : new String(typed).getBytes(StandardCharsets.UTF_8);
        return Secrets.read(new ByteArrayInputStream(bytes), STANDARD_INPUT);
    }

    /** Asks on {@link #err}; empty at the end of input. */
    public Optional<String> ask(String question) {
        err.print(question);
        err.print(' ');
        err.flush();
        try {
            return Optional.ofNullable(in.readLine()).map(String::strip);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
