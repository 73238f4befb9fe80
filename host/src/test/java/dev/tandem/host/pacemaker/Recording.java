package dev.tandem.host.pacemaker;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** What real programs printed once, on a pair of Debian 13 nodes. */
public final class Recording {
    private Recording() {}

    public static String read(String name) {
        try (InputStream stream = Recording.class.getResourceAsStream("/pacemaker/" + name)) {
            if (stream == null) {
                throw new IllegalArgumentException("there is no recording " + name);
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
