package dev.tandem.agent.state;

import dev.tandem.core.Failure;
import dev.tandem.core.FormatVersion;
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
 * <p>A {@link VersionedLine}. What is missing in it is not told: less is known of the machine then,
 * and a lone start waits for a person.
 */
public final class PeerIdentityFile {
    private static final int VERSION = 1;
    private static final FormatVersion FORM = FormatVersion.of(VERSION);

    private final Path file;
    private Optional<HardwareIdentity> last;

    public PeerIdentityFile(Path file) {
        this(file, VersionedLine.Told.LOGGED);
    }

    PeerIdentityFile(Path file, VersionedLine.Told told) {
        this.file = file;
        this.last = read(file, told);
    }

    private static Optional<HardwareIdentity> read(Path file, VersionedLine.Told told) {
        try {
            if (!Files.exists(file)) {
                return Optional.empty();
            }
            String line = Files.readString(file).strip();
            Optional<String> refusal =
                    VersionedLine.parse(line)
                            .refusal(VERSION)
                            .or(() ->
                                    NodeIdentities.isOne(line)
                                            ? Optional.empty()
                                            : Optional.of("it names no machine"));
            refusal.ifPresent(why -> told.notUnderstood(file, why));
            return refusal.isPresent() ? Optional.empty() : Optional.of(NodeIdentities.parse(line));
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
            DurableFiles.write(
                    file, VersionedLine.begin(FORM) + NodeIdentities.written(said) + "\n");
            last = Optional.of(said);
        } catch (IOException e) {
            // It is said again with the next look; without it a lone start waits for a person.
            UnexpectedErrors.log("keeping the peer's identity", e);
        }
    }
}
