package dev.tandem.host.etcd;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Tells a server that hangs from one that is slow; ADR 9 says why by these signs. The question that
 * is counted here touches no disk, so a slow disk does not delay its answer.
 */
public final class HangDetector {
    /** A healthy server answers in a millisecond. */
    static final Duration ANSWER = Duration.ofSeconds(2);

    /** After an unanswered question the next follows without delay. */
    public static final Duration AGAIN = Duration.ofMillis(200);

    private static final int UNANSWERED = 2;

    /** Silent and busy: starved by the rest of the machine, perhaps, or going round in circles. */
    private static final Duration BUSY = Duration.ofSeconds(15);

    private final Function<Long, Optional<Duration>> processorTime;
    private final LongSupplier nanos;
    private int unanswered;
    private long silentSince;
    private Optional<Duration> processorTimeThen = Optional.empty();

    /**
     * @param processorTime how long a process has run or wanted to run so far; empty where that
     *     cannot be told, or it wants to run just now
     */
    public HangDetector(Function<Long, Optional<Duration>> processorTime, LongSupplier nanos) {
        this.processorTime = processorTime;
        this.nanos = nanos;
    }

    /**
     * How long the threads of a process have run, and how long they have waited for a processor. A
     * process that is stopped or frozen does neither; one that the rest of the machine starves
     * hardly runs, but it waits. A wait is counted when it ends, so one that lasts is told from the
     * state of the thread.
     */
    static Optional<Duration> processorTimeOf(long process) {
        long nanos = 0;
        try (DirectoryStream<Path> threads =
                Files.newDirectoryStream(Path.of("/proc", Long.toString(process), "task"))) {
            for (Path thread : threads) {
                if (wantsToRun(Files.readString(thread.resolve("stat")))) {
                    return Optional.empty();
                }
                nanos += ranOrWaited(Files.readString(thread.resolve("schedstat")));
            }
        } catch (IOException | DirectoryIteratorException | NumberFormatException e) {
            return Optional.empty();
        }
        return nanos == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
    }

    /** The state follows the name, which is in brackets and may hold anything. */
    private static boolean wantsToRun(String statistics) {
        return statistics.startsWith("R", statistics.lastIndexOf(')') + 2);
    }

    /** Three numbers: nanoseconds on a processor, nanoseconds runnable without one, slices. */
    private static long ranOrWaited(String statistics) {
        List<String> numbers = List.of(statistics.strip().split(" ", -1));
        return Long.parseLong(numbers.getFirst()) + Long.parseLong(numbers.get(1));
    }

    public void answered() {
        unanswered = 0;
    }

    public boolean silent() {
        return unanswered > 0;
    }

    /**
     * A question was not answered within {@link #ANSWER}. Whether the server hangs: the last two
     * questions went unanswered, and between them it neither ran nor waited for a processor, as the
     * timer of a live one does many times a second; or it has been silent for long enough that the
     * reason no longer matters.
     */
    boolean unanswered(long process) {
        Optional<Duration> used = processorTime.apply(process);
        if (unanswered == 0) {
            silentSince = nanos.getAsLong() - ANSWER.toNanos();
            processorTimeThen = used;
        }
        boolean stands = used.isPresent() && used.equals(processorTimeThen);
        processorTimeThen = used;
        unanswered++;
        return unanswered >= UNANSWERED
                && (stands || nanos.getAsLong() - silentSince >= BUSY.toNanos());
    }
}
