package dev.tandem.agent.state;

import dev.tandem.host.UnexpectedErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Left by Pacemaker's resource agent when it had to stop etcd itself, since no agent answered. The
 * next agent must not start what Pacemaker takes for stopped. It lies in memory, so it ends with
 * the boot, as Pacemaker's order does.
 */
public record StopMark(Path file) {
    public boolean isSet() {
        return Files.exists(file);
    }

    /** The disk says the same now. */
    public void remove() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // The next start by Pacemaker removes it, too.
            UnexpectedErrors.log("deleting " + file, e);
        }
    }
}
