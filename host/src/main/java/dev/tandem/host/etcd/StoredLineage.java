package dev.tandem.host.etcd;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The epochs a replica went through, oldest first, in a file inside its data directory: renamed,
 * copied or restored, the data keep their history. Each epoch's parent is the one before it.
 */
public record StoredLineage(String clusterId, List<StoredEpoch> epochs) {
    static final String FILE_NAME = "lineage.json";

    private static final int FORMAT = 1;
    private static final long MOST_BYTES = 8L << 20;
    private static final ObjectMapper JSON =
            new ObjectMapper()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);

    /**
     * One stretch of history, and the index up to which it kept its parent's log. The founder's
     * name and boot tell two epochs with the same number apart.
     */
    public record StoredEpoch(long number, String founder, String founderBoot, long forkIndex) {}

    /** What could be learned about a replica's lineage. */
    public sealed interface Reading {}

    public record Known(StoredLineage lineage) implements Reading {}

    public record Absent() implements Reading {}

    public record Unreadable(String why) implements Reading {}

    private record File(int format, String clusterId, List<StoredEpoch> epochs) {}

    public StoredLineage {
        epochs = List.copyOf(epochs);
        if (epochs.isEmpty()) {
            throw new IllegalArgumentException("a lineage begins with the epoch of its founding");
        }
        for (int i = 1; i < epochs.size(); i++) {
            if (epochs.get(i).number() <= epochs.get(i - 1).number()) {
                throw new IllegalArgumentException(
                        "epoch %d does not follow epoch %d"
                                .formatted(epochs.get(i).number(), epochs.get(i - 1).number()));
            }
        }
    }

    public StoredEpoch current() {
        return epochs.getLast();
    }

    /** Whether the other went through all these epochs too, and perhaps through more. */
    public boolean isPrefixOf(StoredLineage other) {
        return clusterId.equals(other.clusterId)
                && epochs.size() <= other.epochs.size()
                && epochs.equals(other.epochs.subList(0, epochs.size()));
    }

    static Reading read(Path dataDirectory) throws IOException {
        Path file = dataDirectory.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return new Absent();
        }
        if (Files.size(file) > MOST_BYTES) {
            return new Unreadable(file + " is larger than any lineage");
        }
        try {
            File stored = JSON.readValue(Files.readAllBytes(file), File.class);
            if (stored.format() != FORMAT) {
                return new Unreadable(file + " has the format " + stored.format());
            }
            return new Known(new StoredLineage(stored.clusterId(), stored.epochs()));
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return new Unreadable(file + ": " + e.getMessage());
        }
    }

    void write(Path dataDirectory) throws IOException {
        Durable.write(
                dataDirectory.resolve(FILE_NAME),
                JSON.writeValueAsString(new File(FORMAT, clusterId, epochs)) + "\n");
    }
}
