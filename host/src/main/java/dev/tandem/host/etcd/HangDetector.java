package dev.tandem.host.etcd;

import java.time.Duration;
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

    private final Function<Long, Duration> processorTime;
    private final LongSupplier nanos;
    private int unanswered;
    private long silentSince;
    private Duration processorTimeThen = Duration.ZERO;

    /**
     * @param processorTime what a process has used so far
     */
    public HangDetector(Function<Long, Duration> processorTime, LongSupplier nanos) {
        this.processorTime = processorTime;
        this.nanos = nanos;
    }

    /** By the kernel's own count, in hundredths of a second. */
    static Duration processorTimeOf(long process) {
        return ProcessHandle.of(process)
                .flatMap(handle -> handle.info().totalCpuDuration())
                .orElse(Duration.ZERO);
    }

    public void answered() {
        unanswered = 0;
    }

    public boolean silent() {
        return unanswered > 0;
    }

    /**
     * A question was not answered within {@link #ANSWER}. Whether the server hangs: the last two
     * questions went unanswered, and between them it did not move at all, as the timer of a live
     * one does many times a second; or it has been silent for so much time that the reason no
     * longer matters.
     */
    boolean unanswered(long process) {
        Duration used = processorTime.apply(process);
        if (unanswered == 0) {
            silentSince = nanos.getAsLong() - ANSWER.toNanos();
            processorTimeThen = used;
        }
        unanswered++;
        return unanswered >= UNANSWERED
                && (used.equals(processorTimeThen)
                        || nanos.getAsLong() - silentSince >= BUSY.toNanos());
    }
}
