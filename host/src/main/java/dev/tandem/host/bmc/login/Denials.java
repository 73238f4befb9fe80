package dev.tandem.host.bmc.login;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The denied logins since the last one that was accepted.
 *
 * @param status of the last answer, as HTTP has it
 * @param why in the BMC's words
 * @param since when the first of them was denied, by the monotonic clock
 * @param count how many there were
 * @param latest when the last ones were denied, the oldest first
 * @param lastOrder when one was last denied that was tried for an order
 */
public record Denials(
        int status, String why, long since, int count, List<Long> latest, OptionalLong lastOrder) {

    /** More of them decide nothing. */
    static final int REMEMBERED = LoginBackoff.TRIES;

    public Denials {
        latest = List.copyOf(latest);
        if (count < 1 || latest.isEmpty() || latest.size() > REMEMBERED) {
            throw new IllegalArgumentException("denials without a denial, or with too many");
        }
    }

    static Denials first(int status, String why, long now, boolean order) {
        return new Denials(
                status,
                why,
                now,
                1,
                List.of(now),
                order ? OptionalLong.of(now) : OptionalLong.empty());
    }

    Denials andNow(int newStatus, String newWhy, long now, boolean order) {
        List<Long> moments = new ArrayList<>(latest);
        moments.add(now);
        return new Denials(
                newStatus,
                newWhy,
                since,
                count + 1,
                moments.subList(Math.max(0, moments.size() - REMEMBERED), moments.size()),
                order ? OptionalLong.of(now) : lastOrder);
    }

    long last() {
        return latest.getLast();
    }
}
