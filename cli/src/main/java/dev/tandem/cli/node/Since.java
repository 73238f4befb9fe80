package dev.tandem.cli.node;

import dev.tandem.cli.UsageException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A moment as people type it: how long ago, or when. */
final class Since {
    private static final Pattern AGO = Pattern.compile("([0-9]{1,6})(s|m|h|d)");

    private Since() {}

    static Instant parse(String text, InstantSource clock) {
        Matcher ago = AGO.matcher(text);
        if (ago.matches()) {
            long count = Long.parseLong(ago.group(1));
            return clock.instant()
                    .minus(
                            switch (ago.group(2)) {
                                case "s" -> Duration.ofSeconds(count);
                                case "m" -> Duration.ofMinutes(count);
                                case "h" -> Duration.ofHours(count);
                                default -> Duration.ofDays(count);
                            });
        }
        try {
            // As explain itself prints it.
            String time = text.strip().replace(' ', 'T');
            return Instant.parse(time.endsWith("Z") ? time : time + "Z");
        } catch (DateTimeException _) {
            throw new UsageException(
                    "--since is not understood",
                    "'" + text + "' is neither a time nor how long ago it was",
                    "for example: tandem explain --since 10m");
        }
    }
}
