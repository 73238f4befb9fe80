package dev.tandem.host.etcd;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tandem.core.BootId;
import dev.tandem.core.FormatVersion;
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
 *
 * <p>What a later release adds is ignored: a replica must not count as damaged because its node
 * went back to an earlier one. A later form is refused unless it says that it can be read here.
 */
public final class LineageFile {
    private static final String NAME = "lineage.json";
    private static final int FORMAT = 1;
    private static final long MOST_BYTES = 8L << 20;
    private static final ObjectMapper JSON =
            new ObjectMapper()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
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
            JsonNode json = JSON.readTree(Files.readAllBytes(file));
            int format = json.path("format").asInt();
            FormatVersion form =
                    new FormatVersion(format, json.path(FormatVersion.READABLE_BY).asInt(format));
            if (form.version() < 1 || !form.isReadableBy(FORMAT)) {
                return new Unreadable(
                        "%s is of %s, and this release reads version %d"
                                .formatted(file, form, FORMAT));
            }
            Stored stored = JSON.treeToValue(json, Stored.class);
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
