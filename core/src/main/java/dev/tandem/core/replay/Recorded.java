package dev.tandem.core.replay;

import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.State;
import java.time.Instant;

/** An entry of a recording. The times of day are for people. */
public sealed interface Recorded {
    Instant time();

    /**
     * From here on every event is recorded, until the numbers have a gap.
     *
     * @param number of this entry; each that follows without a gap has the next
     * @param state before the first of them
     */
    record Began(long number, Instant time, PlanLimits limits, State state) implements Recorded {}

    /**
     * An event was taken in.
     *
     * @param now by the supervisor's clock
     * @param response what followed from it
     */
    record Took(long number, Instant time, Moment now, Event event, Response response)
            implements Recorded {}

    /** What stands there cannot be read. */
    record Unreadable(Instant time, String why) implements Recorded {}
}
