package dev.tandem.agent.cluster;

import java.time.Duration;

/**
 * Whether a link that was unstable has become stable, judged by when the peer answered.
 *
 * <p>One lost packet is no sign of anything; a second of silence is.
 */
final class LinkStability {
    /** The peer has to answer for this long without a pause. */
    static final Duration STABLE_FOR = Duration.ofSeconds(15);

    /** A peer that is silent for this long is away, and there is nothing to wait for. */
    static final Duration AWAY = Duration.ofSeconds(10);

    /** A network that stays bad keeps the node out no longer than this. */
    static final Duration LIMIT = Duration.ofMinutes(5);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Whether the node still waits, and if not, why. */
    enum Verdict {
        WAIT,
        STABLE,
        PEER_AWAY,
        TIME_IS_UP
    }

    private final long begun;
    private long lastAnswer;
    private long stableSince;

    LinkStability(long now) {
        begun = now;
        lastAnswer = now;
        stableSince = now;
    }

    /** The peer answered just now. */
    void answered(long now) {
        if (now - lastAnswer > PAUSE.toNanos()) {
            stableSince = now;
        }
        lastAnswer = now;
    }

    Verdict verdict(long now) {
        if (now - begun >= LIMIT.toNanos()) {
            return Verdict.TIME_IS_UP;
        }
        long silent = now - lastAnswer;
        if (silent >= AWAY.toNanos()) {
            return Verdict.PEER_AWAY;
        }
        return silent <= PAUSE.toNanos() && now - stableSince >= STABLE_FOR.toNanos()
                ? Verdict.STABLE
                : Verdict.WAIT;
    }
}
