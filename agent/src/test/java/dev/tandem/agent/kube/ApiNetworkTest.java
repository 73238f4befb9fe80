package dev.tandem.agent.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.FenceDelay.Link;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The node that has the API's address, a second at a time. */
class ApiNetworkTest {
    private Link link = Link.UP;
    private boolean peersIsUp = true;
    private long now = Duration.ofHours(1).toNanos();
    private final ApiNetwork network = new ApiNetwork(() -> link, () -> peersIsUp, () -> now);

    /** Whether it was the wrong place at the end of that time. */
    private boolean worseAfter(Duration time) {
        boolean worse = network.isWorseThanThePeers();
        for (long second = 0; second < time.toSeconds(); second++) {
            now += Duration.ofSeconds(1).toNanos();
            worse = network.isWorseThanThePeers();
        }
        return worse;
    }

    @Test
    void aNodeThatLostTheNetworkWhichThePeerHasIsTheWrongPlace() {
        assertThat(worseAfter(Duration.ofMinutes(1))).isFalse();
        assertThat(network.toTell()).isEqualTo(Link.UP);

        link = Link.DOWN;
        assertThat(worseAfter(ApiNetwork.LOST.minusSeconds(1))).isFalse();
        assertThat(network.toTell()).as("the peer knows at once").isEqualTo(Link.DOWN);
        assertThat(worseAfter(Duration.ofSeconds(1))).isTrue();
    }

    @Test
    void ifBothLoseItNothingMoves() {
        link = Link.DOWN;
        peersIsUp = false;

        assertThat(worseAfter(Duration.ofMinutes(1))).isFalse();

        peersIsUp = true;
        assertThat(network.isWorseThanThePeers()).as("until the peer has it back").isTrue();
    }

    @Test
    void aCarrierThatComesAndGoesIsNoPlaceForTheAddress() {
        link = Link.DOWN;
        assertThat(worseAfter(ApiNetwork.LOST)).isTrue();

        for (int flap = 0; flap < 5; flap++) {
            link = Link.UP;
            assertThat(worseAfter(ApiNetwork.BACK.minusSeconds(1))).isTrue();
            assertThat(network.toTell()).isEqualTo(Link.DOWN);
            link = Link.DOWN;
            assertThat(worseAfter(Duration.ofSeconds(1))).isTrue();
        }

        link = Link.UP;
        assertThat(worseAfter(ApiNetwork.BACK)).isFalse();
        assertThat(network.toTell()).isEqualTo(Link.UP);
    }

    /** It was away too shortly for anybody to move. */
    @Test
    void aShortLossIsNone() {
        link = Link.DOWN;
        assertThat(worseAfter(ApiNetwork.LOST.minusSeconds(1))).isFalse();
        link = Link.UP;

        assertThat(worseAfter(Duration.ofSeconds(1))).isFalse();
        assertThat(network.toTell()).isEqualTo(Link.UP);
    }

    @Test
    void whatIsNotKnownIsNotLost() {
        link = Link.UNKNOWN;

        assertThat(worseAfter(Duration.ofMinutes(1))).isFalse();
        assertThat(network.toTell()).isEqualTo(Link.UNKNOWN);
    }
}
