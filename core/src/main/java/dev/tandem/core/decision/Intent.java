package dev.tandem.core.decision;

import dev.tandem.core.BootId;

/** Why the question is asked. */
public sealed interface Intent {
    /** Pacemaker starts etcd: after a boot, after a stop, or again after a wait. */
    record Start() implements Intent {}

    /** The peer vanished while etcd runs here. */
    record Recover() implements Intent {}

    /** etcd exited unexpectedly; this many times in a row without having served in between. */
    record ServerDied(int deaths) implements Intent {}

    /** etcd lives and does not answer. */
    record ServerHung() implements Intent {}

    /**
     * Both nodes are present and both servers run, but they find no leader: their ports are cut.
     */
    record LeaderLost() implements Intent {}

    /** One restart on the same data was asked for, in the boot it names. */
    record RestartInPlace(BootId askedIn) implements Intent {}

    /**
     * The installation starts the very first server.
     *
     * @param installationOpen the mark of a running installation is on one of the nodes; removed
     *     for good at its end
     */
    record Install(boolean installationOpen) implements Intent {}

    /**
     * etcd stops cleanly.
     *
     * @param timeIsUp the peer did not answer the departure in time; stop anyway
     */
    record Leave(boolean timeIsUp) implements Intent {}
}
