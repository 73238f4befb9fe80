package dev.tandem.cli.node;

import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.replay.RecordedLine;
import dev.tandem.core.Failure;
import dev.tandem.core.replay.Recorded;
import dev.tandem.host.IoErrors;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the agent of this node has recorded, whether it runs or not. */
final class RecordedEvents {
    /** A file grows by what is written in one go before the next is begun. */
    private static final int MOST_BYTES = Math.toIntExact(4 * RecordedLine.MOST_BYTES);

    private RecordedEvents() {}

    /** The oldest first; each is parsed when it is its turn. */
    static Iterable<Recorded> in(Path state) {
        List<String> lines = new ArrayList<>();
        for (String name : List.of(RecordedLine.FILE + ".1", RecordedLine.FILE)) {
            lines.addAll(lines(state.resolve(name)));
        }
        return () -> lines.stream().map(RecordedLine::parse).iterator();
    }

    private static List<String> lines(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return JournalLine.lines(in.readNBytes(MOST_BYTES));
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new Failure(
                    "cannot read the recorded events in " + file,
                    IoErrors.words(e),
                    "run this as root on a node of the cluster",
                    e);
        }
    }
}
