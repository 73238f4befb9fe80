package dev.tandem.host.bmc.login;

import java.util.OptionalLong;

/**
 * The denied logins since the last one that was accepted.
 *
 * @param status of the last answer, as HTTP has it
 * @param why in the BMC's words
 * @param since when the first of them was denied, by the monotonic clock
 * @param count how many there were
 * @param last when the last one was denied
 * @param lastOrder when one was last denied that was tried for an order
 * @param afterSilence whether the BMC had not answered shortly before the first of them: it may
 *     have restarted, and not know its users yet
 */
public record Denials(
        int status,
        String why,
        long since,
        int count,
        long last,
        OptionalLong lastOrder,
        boolean afterSilence) {

    public Denials {
        if (count < 1) {
            throw new IllegalArgumentException("denials without a denial");
        }
    }

    static Denials first(int status, String why, long now, boolean order, boolean afterSilence) {
        return new Denials(
                status,
                why,
                now,
                1,
                now,
                order ? OptionalLong.of(now) : OptionalLong.empty(),
                afterSilence);
    }

    Denials andNow(int newStatus, String newWhy, long now, boolean order) {
        return new Denials(
                newStatus,
                newWhy,
                since,
                count + 1,
                now,
                order ? OptionalLong.of(now) : lastOrder,
                afterSilence);
    }
}
