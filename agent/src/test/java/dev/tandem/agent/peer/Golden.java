package dev.tandem.agent.peer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * What agents of a release wrote, a message a line. Files are added here and never changed: agents
 * of that release are still to be understood, and still to understand. In directory 0 are messages
 * from before they had a version.
 */
final class Golden {
    private Golden() {}

    static List<String> lines(int version, String file) {
        String place = "/golden/%d/%s".formatted(version, file);
        try (InputStream in = Golden.class.getResourceAsStream(place)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
