package dev.tandem.agent;

/** Faults of ours that nobody can be told but whoever reads the log. */
final class Faults {
    private static final System.Logger LOG = System.getLogger("tandem-agent");

    private Faults() {}

    static void log(String where, Throwable fault) {
        LOG.log(System.Logger.Level.ERROR, "unforeseen in " + where, fault);
    }
}
