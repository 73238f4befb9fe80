package dev.tandem.agent.state;

import dev.tandem.core.Failure;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.NodeIdentities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Which machine the peer last said it is. It cannot say so while it is off, and that is when its
 * BMC has to be told from another's.
 *
 * <p>A line of names and values, the first of them the version of the form. A reader ignores names
 * that it does not know, and what is missing is not told: less is known of the machine then, and a
 * lone start waits for a person.
 */
public final class PeerIdentityFile {
    private static final String VERSION = "version=1;";

    private final Path file;
    private Optional<HardwareIdentity> last;

    public PeerIdentityFile(Path file) {
        this.file = file;
        this.last = read(file);
    }

    private static Optional<HardwareIdentity> read(Path file) {
        try {
            return Files.exists(file)
                    ? Optional.of(NodeIdentities.parse(Files.readString(file).strip()))
                    : Optional.empty();
        } catch (IOException e) {
            throw new Failure(
                    "cannot read " + file,
                    IoErrors.words(e),
                    "check the disk and the permissions of that file",
                    e);
        }
    }

    public synchronized Optional<HardwareIdentity> kept() {
        return last;
    }

    public synchronized void keep(HardwareIdentity said) {
        if (last.equals(Optional.of(said))) {
            return;
        }
        try {
            DurableFiles.createDirectories(DurableFiles.parent(file));
            DurableFiles.write(file, VERSION + NodeIdentities.written(said) + "\n");
            last = Optional.of(said);
        } catch (IOException e) {
            // It is said again with the next look; without it a lone start waits for a person.
            UnexpectedErrors.log("keeping the peer's identity", e);
        }
    }
}
