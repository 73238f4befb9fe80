package dev.tandem.agent.state;

import dev.tandem.host.UnexpectedErrors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Moments of this boot that a restarted agent must still know, to tell an old fence from a new one,
 * and the second level's shim while there is no agent: through which BMC nothing may be switched.
 * They are readings of the time since boot, which nobody sets, and lie on a file system that ends
 * with the boot; so nothing has to reach a disk.
 */
public final class BootTimestamps {
    /** When something last happened in this boot. */
    public sealed interface Moment {
        record Never() implements Moment {}

        /** In hundredths of a second since boot. */
        record At(long time) implements Moment {}

        /** It happened or not: that could not be noted, or cannot be read. */
        record Unknown() implements Moment {}
    }

    /** What happened. */
    public enum Event {
        /**
         * The peer gave a sign of life: it was heard, or is in the membership again. Noted before
         * what it said is taken in.
         */
        PEER_HEARD,
        /** The peer's BMC read On again after it had read Off while the peer was there. */
        FALSE_OFF_ENDED,
        /** It began to read so; the note goes when it ends. */
        FALSE_OFF_BEGAN,
        /**
         * The peer's BMC was found to control another machine; the note goes when it is found to be
         * the peer's.
         */
        OTHER_MACHINE_FOUND,
        /**
         * The second of the peer's BMC was found not to tell which machine it controls, while the
         * first tells; the note goes when that has changed.
         */
        MACHINE_NOT_TOLD
    }

    private static final Path UPTIME = Path.of("/proc/uptime");

    private final Path directory;
    private final LongSupplier clock;
    private final Set<Event> notNoted = EnumSet.noneOf(Event.class);

    public BootTimestamps(Path directory) {
        this(directory, BootTimestamps::uptime);
    }

    public BootTimestamps(Path directory, LongSupplier clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /** Hundredths of a second since boot, as the second level's shim reads them too. */
    public static long uptime() {
        try {
            String text = Files.readString(UPTIME);
            return Long.parseLong(text.substring(0, text.indexOf(' ')).replace(".", ""));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the time since boot", e);
        }
    }

    /**
     * Notes that it happened now. Of one that cannot be noted this agent holds the moment for
     * unknown. A restarted agent has only the files: a sign of life is taken out of them, since
     * without one nothing counts; that a BMC read a false Off, or is another machine's, stays in
     * them, since it must not be forgotten.
     *
     * @return whether it was noted
     */
    public synchronized boolean note(Event event) {
        Path file = file(event);
        try {
            Files.createDirectories(directory);
            Path draft = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(draft, clock.getAsLong() + "\n");
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            notNoted.remove(event);
            return true;
        } catch (IOException | UncheckedIOException e) {
            UnexpectedErrors.log("noting a moment of this boot", e);
            switch (event) {
                case PEER_HEARD -> forget(event);
                case FALSE_OFF_ENDED, FALSE_OFF_BEGAN, OTHER_MACHINE_FOUND, MACHINE_NOT_TOLD -> {
                    // The older note stays.
                }
            }
            notNoted.add(event);
            return false;
        }
    }

    /** One that cannot be forgotten is known to the next agent too. */
    public synchronized void forget(Event event) {
        notNoted.remove(event);
        try {
            Files.deleteIfExists(file(event));
        } catch (IOException e) {
            UnexpectedErrors.log("forgetting a moment of this boot", e);
        }
    }

    public synchronized Moment last(Event event) {
        return notNoted.contains(event) ? new Moment.Unknown() : read(file(event));
    }

    private Path file(Event event) {
        return directory.resolve(event.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    Moment.At now() {
        return new Moment.At(clock.getAsLong());
    }

    /** How long ago a moment of this boot was. */
    Duration since(Moment.At moment) {
        return between(moment, now());
    }

    static Duration between(Moment.At earlier, Moment.At later) {
        return Duration.ofMillis(10 * (later.time() - earlier.time()));
    }

    /** A file that holds a moment; unknown if it does in other words. */
    private static Moment read(Path file) {
        try {
            String text = Files.readString(file).strip();
            return text.matches("[0-9]{1,15}")
                    ? new Moment.At(Long.parseLong(text))
                    : new Moment.Unknown();
        } catch (NoSuchFileException e) {
            return new Moment.Never();
        } catch (IOException e) {
            UnexpectedErrors.log("reading a moment of this boot", e);
            return new Moment.Unknown();
        }
    }
}
