package dev.tandem.host.etcd;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.replica.Lineage;
import dev.tandem.host.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A replica's lineage in a file inside its data directory: renamed, copied or restored, the data
 * keep their history.
 */
public final class LineageFile {
    private static final String NAME = "lineage.json";
    private static final int FORMAT = 1;
    private static final long MOST_BYTES = 8L << 20;
    private static final ObjectMapper JSON =
            new ObjectMapper()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);

    private LineageFile() {}

    /** What could be learned about a replica's lineage. */
    public sealed interface Reading {}

    public record Known(Lineage lineage) implements Reading {}

    public record Absent() implements Reading {}

    public record Unreadable(String why) implements Reading {}

    private record StoredEpoch(long number, String founder, String founderBoot, long forkIndex) {}

    private record Stored(int format, String clusterId, List<StoredEpoch> epochs) {}

    static Reading read(Path dataDirectory) throws IOException {
        Path file = dataDirectory.resolve(NAME);
        if (!Files.exists(file)) {
            return new Absent();
        }
        if (Files.size(file) > MOST_BYTES) {
            return new Unreadable(file + " is larger than any lineage");
        }
        try {
            Stored stored = JSON.readValue(Files.readAllBytes(file), Stored.class);
            if (stored.format() != FORMAT) {
                return new Unreadable(file + " has the format " + stored.format());
            }
            return new Known(
                    new Lineage(
                            stored.clusterId(),
                            stored.epochs().stream()
                                    .map(epoch ->
                                            new Epoch(
                                                    epoch.number(),
                                                    new NodeName(epoch.founder()),
                                                    new BootId(epoch.founderBoot()),
                                                    epoch.forkIndex()))
                                    .toList()));
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return new Unreadable(file + ": " + e.getMessage());
        }
    }

    static void write(Path dataDirectory, Lineage lineage) throws IOException {
        Stored stored =
                new Stored(
                        FORMAT,
                        lineage.clusterId(),
                        lineage.epochs().stream()
                                .map(epoch ->
                                        new StoredEpoch(
                                                epoch.number(),
                                                epoch.founder().value(),
                                                epoch.founderBoot().value(),
                                                epoch.forkIndex()))
                                .toList());
        DurableFiles.write(dataDirectory.resolve(NAME), JSON.writeValueAsString(stored) + "\n");
    }
}
