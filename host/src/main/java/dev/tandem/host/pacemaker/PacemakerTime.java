package dev.tandem.host.pacemaker;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.Optional;

/** Times as Pacemaker 3.0 writes them in XML, such as {@code 2026-11-15 21:43:40.998282Z}. */
final class PacemakerTime {
    private static final DateTimeFormatter ZONED =
            new DateTimeFormatterBuilder()
                    .appendPattern("uuuu-MM-dd HH:mm:ss")
                    .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
                    .appendPattern("[ ]XXX")
                    .toFormatter(Locale.ROOT);

    private PacemakerTime() {}

    /** Empty for a time without a zone: read as ours it could be hours off. */
    static Optional<Instant> instant(String text) {
        try {
            return Optional.of(ZONED.parse(text, Instant::from));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
