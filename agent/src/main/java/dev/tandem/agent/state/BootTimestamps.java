package dev.tandem.agent.state;

import dev.tandem.host.UnexpectedErrors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Moments of this boot that a restarted agent must still know, to tell an old fence from a new one.
 * They are readings of the time since boot, which nobody sets, and lie on a file system that ends
 * with the boot; so nothing has to reach a disk.
 */
public final class BootTimestamps {
    /** What happened. */
    public enum Event {
        /**
         * The peer gave a sign of life: it was heard, or is in the membership again. Noted before
         * what it said is taken in.
         */
        PEER_HEARD,
        /** The peer's BMC was last known to read Off while the peer was there. */
        BMC_DECEIVED,
        /** It still reads so. */
        BMC_DECEIVES
    }

    private static final Path UPTIME = Path.of("/proc/uptime");

    private final Path directory;
    private final LongSupplier clock;

    public BootTimestamps(Path directory) {
        this(directory, BootTimestamps::uptime);
    }

    public BootTimestamps(Path directory, LongSupplier clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /** Hundredths of a second since boot, as the second level's shim reads them too. */
    private static long uptime() {
        try {
            String text = Files.readString(UPTIME);
            return Long.parseLong(text.substring(0, text.indexOf(' ')).replace(".", ""));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the time since boot", e);
        }
    }

    /**
     * Notes that it happened now. One that cannot be noted is forgotten altogether: without it
     * nothing older or younger can be told, and nothing counts.
     */
    public synchronized void note(Event event) {
        Path file = file(event);
        try {
            Files.createDirectories(directory);
            Path draft = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(draft, clock.getAsLong() + "\n");
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            forget(event);
            UnexpectedErrors.log("noting a moment of this boot", e);
        }
    }

    public synchronized void forget(Event event) {
        try {
            Files.deleteIfExists(file(event));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot forget " + event, e);
        }
    }

    /** When it last happened in this boot; empty if it is not known to have. */
    public synchronized OptionalLong last(Event event) {
        return read(file(event));
    }

    private Path file(Event event) {
        return directory.resolve(event.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    /** A file that holds a moment; empty if there is none, or not in these words. */
    public static OptionalLong read(Path file) {
        try {
            String text = Files.readString(file).strip();
            return text.matches("[0-9]{1,15}")
                    ? OptionalLong.of(Long.parseLong(text))
                    : OptionalLong.empty();
        } catch (NoSuchFileException e) {
            return OptionalLong.empty();
        } catch (IOException e) {
            UnexpectedErrors.log("reading a moment of this boot", e);
            return OptionalLong.empty();
        }
    }
}
