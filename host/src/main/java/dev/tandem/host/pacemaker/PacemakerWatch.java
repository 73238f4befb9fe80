package dev.tandem.host.pacemaker;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Keeps what Pacemaker last told of the cluster, for the status; no decision depends on it. One
 * question that fails changes nothing: the answer before it stays, and grows old.
 */
public final class PacemakerWatch {
    /** Each question costs some 30 ms of processor time. */
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    /** After a first question that failed: the second tells that Pacemaker is not there. */
    private static final Duration SOON = Duration.ofSeconds(2);

    /** One may fail while Pacemaker takes in a change. */
    private static final int FAILURES = 2;

    private final Supplier<PacemakerStatus> question;
    private final LongSupplier nanos;
    private final long begun;
    private volatile Optional<Answer> last = Optional.empty();
    private volatile int failures;

    private record Answer(PacemakerStatus.Known status, long nanos) {}

    public PacemakerWatch(Supplier<PacemakerStatus> question, LongSupplier nanos) {
        this.question = question;
        this.nanos = nanos;
        this.begun = nanos.getAsLong();
    }

    public Duration interval() {
        return failures > 0 && !fails() ? SOON : INTERVAL;
    }

    /** One thread looks. */
    public void look() {
        // As old as the question: what changed while it was answered may not be in it.
        long asked = nanos.getAsLong();
        if (question.get() instanceof PacemakerStatus.Known known) {
            last = Optional.of(new Answer(known, asked));
            failures = 0;
        } else {
            failures = Math.min(failures + 1, FAILURES);
        }
    }

    public Optional<PacemakerStatus.Known> status() {
        return last.map(Answer::status);
    }

    /** Whether it failed to answer each time lately, however old its last answer is. */
    public boolean fails() {
        return failures >= FAILURES;
    }

    /** How old that is; before the first answer, for how long none has come. */
    public Duration age() {
        return Duration.ofNanos(nanos.getAsLong() - last.map(Answer::nanos).orElse(begun));
    }
}
