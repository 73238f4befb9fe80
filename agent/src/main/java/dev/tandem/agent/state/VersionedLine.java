package dev.tandem.agent.state;

import dev.tandem.core.FormatVersion;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The line of a small file: names and values, the first of them the version of its form, as in
 * {@code version=1;boot=…}. A reader ignores names that it does not know.
 *
 * @param form what it says of its version; empty where it says nothing, as the first files did
 */
public record VersionedLine(Optional<FormatVersion> form, Map<String, String> values) {
    private static final System.Logger LOG = System.getLogger("tandem-agent");
    private static final String VERSION = "version";

    /** Hears of a file that is there and cannot be understood. */
    public interface Told {
        void notUnderstood(Path file, String why);

        /** Only the log can tell: whoever reads such a file goes on without it. */
        Told LOGGED =
                (file, why) ->
                        LOG.log(
                                System.Logger.Level.WARNING,
                                "%s is not understood, and counts as missing: %s"
                                        .formatted(file, why));
    }

    public VersionedLine {
        values = Map.copyOf(values);
    }

    public static VersionedLine parse(String line) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String field : line.strip().split(";", -1)) {
            int equals = field.indexOf('=');
            if (equals > 0) {
                values.put(field.substring(0, equals), field.substring(equals + 1));
            }
        }
        return new VersionedLine(
                Optional.ofNullable(values.get(VERSION))
                        .map(version ->
                                new FormatVersion(
                                        number(version),
                                        number(
                                                values.getOrDefault(
                                                        FormatVersion.READABLE_BY, version)))),
                values);
    }

    /** What a line of this version begins with. */
    public static String begin(FormatVersion form) {
        return VERSION
                + "="
                + form.version()
                + ";"
                + (form.isReadableByEarlier()
                        ? FormatVersion.READABLE_BY + "=" + form.readableBy() + ";"
                        : "");
    }

    /** Not written by us: no reader understands it. */
    private static int number(String text) {
        return text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : Integer.MAX_VALUE;
    }

    /**
     * Why a program that writes this version must not read it, where that is so.
     *
     * @param reader the version that the program writes itself
     */
    public Optional<String> refusal(int reader) {
        return form.filter(said -> said.version() < 1 || !said.isReadableBy(reader))
                .map(said ->
                        said.version() < 1 || said.version() == Integer.MAX_VALUE
                                ? "its version is no number"
                                : "it is of %s, and this agent knows version %d"
                                        .formatted(said, reader));
    }

    Optional<String> word(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** A moment since boot, or any other count that is not negative. */
    Optional<Long> count(String name) {
        return Optional.ofNullable(values.get(name))
                .filter(text -> text.matches("[0-9]{1,15}"))
                .map(Long::parseLong);
    }
}
