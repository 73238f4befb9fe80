package dev.tandem.host;

import dev.tandem.core.Failure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Faults of ours; only the log can tell of them. */
public final class UnexpectedErrors {
    private static final System.Logger LOG = System.getLogger("tandem-agent");

    private UnexpectedErrors() {}

    /**
     * The first line names the kind of the error: a journal is searched line by line, and some
     * errors have no words of their own.
     */
    public static void log(String where, Throwable fault) {
        LOG.log(System.Logger.Level.ERROR, "unexpected error in " + where + ": " + fault, fault);
    }

    /**
     * Logs it, and says for a status what a reader can use: the words of a failure or of a file
     * that could not be read or written, and never the kind of an error of ours.
     */
    public static String words(String where, Throwable fault) {
        log(where, fault);
        return words(fault);
    }

    private static String words(@Nullable Throwable fault) {
        return switch (fault) {
            case Failure failure -> failure.what() + ": " + failure.why();
            case IOException io -> IoErrors.words(io);
            case UncheckedIOException wrapped -> words(wrapped.getCause());
            case ExecutionException wrapped -> words(wrapped.getCause());
            case null, default -> "unexpected error; see: journalctl -u tandem-agent";
        };
    }
}
