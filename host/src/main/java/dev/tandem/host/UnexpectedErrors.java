package dev.tandem.host;

/** Faults of ours that nobody can be told but whoever reads the log. */
public final class UnexpectedErrors {
    private static final System.Logger LOG = System.getLogger("tandem-agent");

    private UnexpectedErrors() {}

    public static void log(String where, Throwable fault) {
        LOG.log(System.Logger.Level.ERROR, "unforeseen in " + where, fault);
    }
}
