package dev.tandem.core.supervise;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How often etcd could not be started or exited unexpectedly, and when it may be started again. One
 * that dies again before it served has to wait for its next start; one that serves for a while
 * between its deaths does not, but costs every client a gap each time, and at some point the peer
 * alone is the better service.
 *
 * @param deaths when it died, the oldest first, as far back as matters
 * @param deathsInARow since etcd served last
 * @param failures orders in a row that could not be carried out
 * @param unready forced starts in a row that were given up because they did not get ready; no more
 *     than {@link #MOST_UNREADY} are counted
 * @param notBefore of a start
 * @param failedUntil of any order to a server that runs: one that cannot be ended is not killed at
 *     every event
 */
public record RestartBackoff(
        List<Moment> deaths,
        int deathsInARow,
        int failures,
        int unready,
        Moment notBefore,
        Moment failedUntil) {
    /**
     * By then a start has eight minutes, which is enough for a disk that takes 40 s for a write.
     */
    private static final int MOST_UNREADY = 3;

    public RestartBackoff {
        deaths = List.copyOf(deaths);
    }

    public static RestartBackoff none(Moment now) {
        return new RestartBackoff(List.of(), 0, 0, 0, now, now);
    }

    /** It exited unexpectedly. */
    RestartBackoff died(Moment now, SupervisorPolicy policy) {
        List<Moment> longer = new ArrayList<>(lately(now, policy));
        longer.add(now);
        Moment next = deathsInARow == 0 ? notBefore : now.plus(pause(deathsInARow, policy));
        return new RestartBackoff(longer, deathsInARow + 1, failures, unready, next, failedUntil);
    }

    /** What was to be done about it could not be done. */
    RestartBackoff failed(Moment now, SupervisorPolicy policy) {
        Moment next = now.plus(pause(failures + 1, policy));
        return new RestartBackoff(deaths, deathsInARow, failures + 1, unready, next, next);
    }

    /** It serves. What failed may have been to end it, and that is no better now. */
    RestartBackoff serves(Moment now) {
        return new RestartBackoff(deaths, 0, failures, 0, now, failedUntil);
    }

    /** An order was carried out, and whatever failed before is over. */
    RestartBackoff done(Moment now) {
        return new RestartBackoff(deaths, deathsInARow, 0, unready, notBefore, now);
    }

    /** Another server begins, which has not died yet. */
    RestartBackoff forgetDeaths() {
        return new RestartBackoff(List.of(), 0, failures, unready, notBefore, failedUntil);
    }

    /** A start that is asked for now need not wait. */
    RestartBackoff atOnce(Moment now) {
        return new RestartBackoff(deaths, deathsInARow, failures, unready, now, now);
    }

    /** A forced start is given up: it hangs, or the disk is slower than it was given time for. */
    RestartBackoff gaveUp() {
        return new RestartBackoff(
                deaths,
                deathsInARow,
                failures,
                Math.min(unready + 1, MOST_UNREADY),
                notBefore,
                failedUntil);
    }

    /** How long a forced start has to get ready: twice as long after each that was given up. */
    Duration readyWithin(SupervisorPolicy policy) {
        return policy.repair().multipliedBy(1L << unready);
    }

    boolean mayStart(Moment now) {
        return !now.isBefore(notBefore);
    }

    boolean mayTryAgain(Moment now) {
        return !now.isBefore(failedUntil);
    }

    int deathsLately(Moment now, SupervisorPolicy policy) {
        return lately(now, policy).size();
    }

    private List<Moment> lately(Moment now, SupervisorPolicy policy) {
        return deaths.stream()
                .filter(death -> !now.isLaterThan(policy.deathsLately(), death))
                .toList();
    }

    /** 1, 2, 4, 8 s and no longer, by the usual policy. */
    static Duration pause(int times, SupervisorPolicy policy) {
        Duration pause = policy.shortestPause();
        for (int i = 1; i < times && pause.compareTo(policy.longestPause()) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(policy.longestPause()) < 0 ? pause : policy.longestPause();
    }
}
