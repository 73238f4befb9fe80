package dev.tandem.agent.state;

import dev.tandem.host.DurableFiles;
import dev.tandem.host.UnexpectedErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Something that happened once and for all: a file that is there from then on. */
public final class DurableMark {
    private final Path file;
    private volatile boolean set;

    public DurableMark(Path file) {
        this.file = file;
        this.set = Files.exists(file);
    }

    public boolean isSet() {
        return set;
    }

    public synchronized void set() {
        if (set) {
            return;
        }
        // What happened has happened, even where it cannot be written.
        set = true;
        try {
            DurableFiles.createDirectories(DurableFiles.parent(file));
            DurableFiles.write(file, "");
        } catch (IOException e) {
            UnexpectedErrors.log("writing " + file, e);
        }
    }
}
