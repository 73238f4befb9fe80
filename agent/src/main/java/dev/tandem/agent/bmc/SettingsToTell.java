package dev.tandem.agent.bmc;

import dev.tandem.core.Failure;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** For which BMCs the peer has yet to be told the settings; outlives the agent and the power. */
public final class SettingsToTell {
    private final Path state;

    public SettingsToTell(Path state) {
        this.state = state;
    }

    private Path mark(String bmc) {
        return state.resolve("bmc-settings-to-tell-" + bmc);
    }

    boolean contains(String node) {
        return Files.exists(mark(node));
    }

    void add(String node) {
        try {
            DurableFiles.write(mark(node), "");
        } catch (IOException e) {
            throw new Failure(
                    "nothing was changed",
                    "cannot write %s: %s".formatted(mark(node), IoErrors.words(e)),
                    "check free space and permissions of " + state,
                    e);
        }
    }

    void remove(String node) {
        try {
            DurableFiles.delete(mark(node));
        } catch (IOException e) {
            throw new Failure(
                    "cannot delete " + mark(node),
                    IoErrors.words(e),
                    "check the file system of " + state,
                    e);
        }
    }
}
