package dev.tandem.cli.cluster;

import dev.tandem.core.Failure;
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
                    "cannot tell which node this is", String.valueOf(e), "run this on a node", e);
        }
    }

    /** Set-up writes below /etc and asks root's daemons. */
    static void needsRoot() {
        if (!"root".equals(System.getProperty("user.name"))) {
            throw new Failure(
                    "cannot set this node up",
                    "it takes root's rights",
                    "run it as root: sudo tandem cluster ...");
        }
    }
}
