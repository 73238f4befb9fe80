package dev.tandem.agent.bmc;

import dev.tandem.agent.bmc.MachineCheck.Verified;
import dev.tandem.core.Failure;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.host.bmc.NodeIdentities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a BMC told when it was last found to be the node's own, and who the node was then. A
 * restarted agent, with the machine off, could not find out again.
 */
final class VerifiedMachineFile {
    private final Path file;
    private Optional<Verified> last;

    VerifiedMachineFile(Path file) {
        this.file = file;
        this.last = read(file);
    }

    /** One line the BMC, one the node; with less than both it is not known what was compared. */
    private static Optional<Verified> read(Path file) {
        try {
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            return lines.size() == 2
                    ? Optional.of(
                            new Verified(
                                    NodeIdentities.parse(lines.getFirst()),
                                    NodeIdentities.parse(lines.getLast())))
                    : Optional.empty();
        } catch (IOException e) {
            throw new Failure(
                    "cannot read " + file,
                    IoErrors.words(e),
                    "check the disk and the permissions of that file",
                    e);
        }
    }

    synchronized Optional<Verified> kept() {
        return last;
    }

    synchronized void keep(Verified verified) {
        if (last.equals(Optional.of(verified))) {
            return;
        }
        try {
            DurableFiles.createDirectories(DurableFiles.parent(file));
            DurableFiles.write(
                    file,
                    NodeIdentities.written(verified.told())
                            + "\n"
                            + NodeIdentities.written(verified.machine())
                            + "\n");
            last = Optional.of(verified);
        } catch (IOException e) {
            // It is found again with the next look; without it a lone start waits for a person.
            UnexpectedErrors.log("keeping what a BMC told", e);
        }
    }
}
