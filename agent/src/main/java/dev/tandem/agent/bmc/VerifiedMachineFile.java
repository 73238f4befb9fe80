package dev.tandem.agent.bmc;

import dev.tandem.agent.bmc.MachineCheck.Verified;
import dev.tandem.agent.state.VersionedLine;
import dev.tandem.core.Failure;
import dev.tandem.core.FormatVersion;
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
 *
 * <p>Two lines of names and values, the BMC's and the node's, of which the first begins with the
 * version of the form. The first files did not say their version, and are read as the same.
 */
final class VerifiedMachineFile {
    private static final int VERSION = 1;
    private static final FormatVersion FORM = FormatVersion.of(VERSION);

    private final Path file;
    private Optional<Verified> last;

    VerifiedMachineFile(Path file) {
        this(file, VersionedLine.Told.LOGGED);
    }

    VerifiedMachineFile(Path file, VersionedLine.Told told) {
        this.file = file;
        this.last = read(file, told);
    }

    private static Optional<Verified> read(Path file, VersionedLine.Told told) {
        try {
            if (!Files.exists(file)) {
                return Optional.empty();
            }
            List<String> lines = Files.readAllLines(file);
            Optional<String> refusal = refusal(lines);
            if (refusal.isPresent()) {
                told.notUnderstood(file, refusal.get());
                return Optional.empty();
            }
            return Optional.of(
                    new Verified(
                            NodeIdentities.parse(lines.getFirst()),
                            NodeIdentities.parse(lines.get(1))));
        } catch (IOException e) {
            throw new Failure(
                    "cannot read " + file,
                    IoErrors.words(e),
                    "check the disk and the permissions of that file",
                    e);
        }
    }

    /** With less than both lines it is not known what was compared. */
    private static Optional<String> refusal(List<String> lines) {
        if (lines.isEmpty()) {
            return Optional.of("it is empty");
        }
        boolean both = lines.stream().limit(2).filter(NodeIdentities::isOne).count() == 2;
        return VersionedLine.parse(lines.getFirst())
                .refusal(VERSION)
                .or(() -> both ? Optional.empty() : Optional.of("it lacks one of its two lines"));
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
                    VersionedLine.begin(FORM)
                            + NodeIdentities.written(verified.told())
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
