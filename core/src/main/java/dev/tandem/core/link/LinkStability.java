package dev.tandem.core.link;

import dev.tandem.core.supervise.Moment;
import java.time.Duration;

/**
 * Whether a link that was unstable has become stable, judged by when the peer answered.
 *
 * <p>One lost packet is no sign of anything; a second of silence is.
 *
 * @param begun since when it is waited for
 * @param lastAnswer of the peer; {@code begun} if there was none
 * @param stableSince the first answer of those that came without a pause between them
 */
public record LinkStability(Moment begun, Moment lastAnswer, Moment stableSince) {
    /** The peer has to answer for this long without a pause. */
    public static final Duration STABLE_FOR = Duration.ofSeconds(15);

    /** A peer that is silent for this long is away, and there is nothing to wait for. */
    static final Duration AWAY = Duration.ofSeconds(10);

    /** A network that stays bad keeps the node out no longer than this. */
    public static final Duration LIMIT = Duration.ofMinutes(5);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Whether the node still waits, and if not, why. */
    public enum Verdict {
        WAIT,
        STABLE,
        PEER_AWAY,
        TIME_IS_UP
    }

    public static LinkStability from(Moment now) {
        return new LinkStability(now, now, now);
    }

    /** The peer answered just now. */
    public LinkStability answered(Moment now) {
        return new LinkStability(
                begun, now, now.isLaterThan(PAUSE, lastAnswer) ? now : stableSince);
    }

    public Verdict verdict(Moment now) {
        if (now.since(begun).compareTo(LIMIT) >= 0) {
            return Verdict.TIME_IS_UP;
        }
        Duration silent = now.since(lastAnswer);
        if (silent.compareTo(AWAY) >= 0) {
            return Verdict.PEER_AWAY;
        }
        return silent.compareTo(PAUSE) <= 0 && now.since(stableSince).compareTo(STABLE_FOR) >= 0
                ? Verdict.STABLE
                : Verdict.WAIT;
    }
}
