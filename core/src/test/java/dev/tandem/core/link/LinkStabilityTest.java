package dev.tandem.core.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.supervise.Moment;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class LinkStabilityTest {
    private static final Duration STEP = Duration.ofMillis(250);

    /** Seconds until somebody may pass, and why, with a peer that answers at those times. */
    private static String until(Predicate<Duration> answers) {
        long start = Long.MAX_VALUE - 1000;
        LinkStability link = LinkStability.from(new Moment(start));
        Duration time = Duration.ZERO;
        while (link.verdict(new Moment(start + time.toNanos())) == LinkStability.Verdict.WAIT) {
            time = time.plus(STEP);
            if (answers.test(time)) {
                link = link.answered(new Moment(start + time.toNanos()));
            }
        }
        return link.verdict(new Moment(start + time.toNanos())) + " " + time.toSeconds();
    }

    @Test
    void aPeerThatAnswersAllTheTimeIsWaitedForForAMoment() {
        assertThat(until(_ -> true)).isEqualTo("STABLE 15");
    }

    @Test
    void aPeerThatIsAwayIsNotWaitedForAnyLonger() {
        assertThat(until(_ -> false)).isEqualTo("PEER_AWAY 10");
        assertThat(until(time -> time.toSeconds() < 4)).isEqualTo("PEER_AWAY 13");
    }

    @Test
    void aNetworkThatComesAndGoesKeepsTheNodeOutUntilItStops() {
        assertThat(until(time -> time.toSeconds() % 4 < 2 || time.toSeconds() > 40))
                .isEqualTo("STABLE 55");
    }

    @Test
    void oneLostPacketIsNothing() {
        assertThat(until(time -> time.toMillis() % 2000 != 0)).isEqualTo("STABLE 15");
    }

    @Test
    void aNetworkThatIsBadForGoodKeepsNobodyOutForEver() {
        assertThat(until(time -> time.toSeconds() % 4 < 2)).isEqualTo("TIME_IS_UP 300");
    }
}
