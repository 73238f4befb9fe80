package dev.tandem.agent.state;

import dev.tandem.core.FormatVersion;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.UnexpectedErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The longest time that the peer's machine took to switch off when it was fenced, for the
 * prediction of the next time. Many BMCs accept an order for a machine that is off already, which
 * takes no time at all: so not the last one. Any thread may ask and tell.
 *
 * <p>A {@link VersionedLine}. Without it the plan's figure stands.
 */
public final class SwitchOffTime {
    private static final int VERSION = 1;
    private static final FormatVersion FORM = FormatVersion.of(VERSION);
    private static final String MILLIS = "millis";

    private final Path file;
    private volatile Optional<Duration> longest;

    public SwitchOffTime(Path file) {
        this.file = file;
        this.longest = read(file);
    }

    private static Optional<Duration> read(Path file) {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            VersionedLine line = VersionedLine.parse(Files.readString(file));
            return line.refusal(VERSION).isPresent()
                    ? Optional.empty()
                    : Optional.ofNullable(line.values().get(MILLIS))
                            .filter(millis -> millis.matches("[0-9]{1,7}"))
                            .map(millis -> Duration.ofMillis(Long.parseLong(millis)));
        } catch (IOException e) {
            // An estimate is not worth an agent that does not start.
            UnexpectedErrors.log("reading " + file, e);
            return Optional.empty();
        }
    }

    public Optional<Duration> longest() {
        return longest;
    }

    /** Takes a time from the order until the machine was read off. */
    public synchronized void took(Duration time) {
        if (longest.filter(before -> before.compareTo(time) >= 0).isPresent()) {
            return;
        }
        longest = Optional.of(time);
        try {
            DurableFiles.createDirectories(DurableFiles.parent(file));
            DurableFiles.write(
                    file, VersionedLine.begin(FORM) + MILLIS + "=" + time.toMillis() + "\n");
        } catch (IOException e) {
            UnexpectedErrors.log("keeping how long the peer took to switch off", e);
        }
    }
}
