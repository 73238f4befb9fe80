package dev.tandem.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The mark of a running installation: a file that is there while the first etcd of a new pair may
 * be created. Neither comes with a power cut nor goes with one: one that is lost leaves the nodes
 * waiting for each other, and one that is back lets a node begin an empty cluster beside the data.
 */
public record InstallationMark(Path file) {
    public boolean isSet() {
        return Files.exists(file);
    }

    public void set() throws IOException {
        DurableFiles.createDirectories(DurableFiles.parent(file));
        DurableFiles.write(file, "");
    }

    public void remove() throws IOException {
        DurableFiles.delete(file);
    }
}
