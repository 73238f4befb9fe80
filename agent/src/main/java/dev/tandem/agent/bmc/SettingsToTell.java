package dev.tandem.agent.bmc;

import dev.tandem.core.Failure;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * For which BMCs the peer has yet to be told the settings, and for which it has others that are as
 * new; outlives the agent and the power.
 */
public final class SettingsToTell {
    private final Path state;

    public SettingsToTell(Path state) {
        this.state = state;
    }

    private Path mark(String bmc) {
        return state.resolve("bmc-settings-to-tell-" + bmc);
    }

    private Path difference(String bmc) {
        return state.resolve("bmc-settings-differ-" + bmc);
    }

    boolean contains(String bmc) {
        return Files.exists(mark(bmc));
    }

    void add(String bmc) {
        write(mark(bmc), "nothing was changed");
    }

    void remove(String bmc) {
        delete(mark(bmc));
    }

    /** Whether the nodes have different settings, and neither takes those of the other. */
    boolean differs(String bmc) {
        return Files.exists(difference(bmc));
    }

    void differ(String bmc) {
        write(difference(bmc), "cannot note that the settings of a BMC differ");
    }

    /** Either node has taken others since. */
    void agree(String bmc) {
        delete(difference(bmc));
    }

    private void write(Path file, String what) {
        try {
            DurableFiles.write(file, "");
        } catch (IOException e) {
            throw new Failure(
                    what,
                    "cannot write %s: %s".formatted(file, IoErrors.words(e)),
                    "check free space and permissions of " + state,
                    e);
        }
    }

    private void delete(Path file) {
        try {
            if (Files.exists(file)) {
                DurableFiles.delete(file);
            }
        } catch (IOException e) {
            throw new Failure(
                    "cannot delete " + file,
                    IoErrors.words(e),
                    "check the file system of " + state,
                    e);
        }
    }
}
