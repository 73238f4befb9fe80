package dev.tandem.install.yaml;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * A password, or another text that nobody may read over a shoulder. It is not a record and has no
 * getter on purpose: neither a log line nor a JSON writer finds anything to show.
 */
public final class Secret {
    private final String text;

    public Secret(String text) {
        this.text = text;
    }

    /** The text itself, for the one place that has to hand it on. */
    public String reveal() {
        return text;
    }

    public boolean isEmpty() {
        return text.isEmpty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret that
                && MessageDigest.isEqual(
                        text.getBytes(StandardCharsets.UTF_8),
                        that.text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public int hashCode() {
        return 0;
    }

    @Override
    public String toString() {
        return "(hidden)";
    }
}
