package dev.tandem.cli.cluster;

import dev.tandem.core.Failure;
import dev.tandem.host.IoErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The machine this runs on. */
final class ThisNode {
    private ThisNode() {}

    /** Corosync and Pacemaker know a node by its host name. */
    static String name() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            throw new Failure(
                    "cannot tell which node this is", IoErrors.words(e), "run this on a node", e);
        }
    }

    /** Secrets below /etc are root's, and so are the daemons that are asked. */
    static void needsRoot() {
        if (!"root".equals(System.getProperty("user.name"))) {
            throw new Failure(
                    "cannot work on this node", "this command needs root", "run it with sudo");
        }
    }
}
