package dev.tandem.host;

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
}
