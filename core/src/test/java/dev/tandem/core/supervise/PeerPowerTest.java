package dev.tandem.core.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.PeerMessage;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is made of the peer's BMC when it is read in passing. */
class PeerPowerTest {
    private final Bench bench =
            new Bench("sole 1:7", new Policy(Policy.Shape.PAIR, true, 5))
                    .peerIs(Bench.ALONE_SINCE_BOOT);

    /**
     * Readings of the BMC, five seconds apart; a star marks one from a BMC not known as the peer's,
     * "wait" half a minute without any, and "heard" a question of the peer.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    OFF                                             | false
                    OFF OFF OFF OFF OFF OFF                         | false
                    OFF OFF OFF OFF OFF OFF OFF                     | true
                    OFF OFF OFF UNKNOWN OFF OFF OFF                 | false
                    OFF OFF OFF ON OFF OFF OFF                      | false
                    OFF OFF OFF OFF OFF OFF ON                      | false
                    OFF* OFF* OFF* OFF* OFF* OFF* OFF*              | false
                    OFF* OFF OFF OFF OFF OFF OFF OFF                | true
                    OFF wait OFF                                    | false
                    OFF OFF OFF wait OFF OFF OFF                    | false
                    OFF OFF OFF heard OFF OFF OFF OFF               | false
                    OFF heard OFF OFF OFF OFF OFF OFF OFF           | true
                    """)
    void aPeerIsHeldOffWhenItReadsSoOverTheWholeTime(String readings, boolean heldOff) {
        for (String reading : readings.split(" ", -1)) {
            if (reading.equals("heard")) {
                bench.hears(new PeerMessage.Hello(Bench.nextBoot()));
                continue;
            }
            if (reading.equals("wait")) {
                bench.pass(Duration.ofSeconds(30));
                continue;
            }
            bench.reads(
                    PowerReading.valueOf(reading.replace("*", "")),
                    !reading.endsWith("*"),
                    Bench.ALONE_SINCE_BOOT);
            bench.pass(Duration.ofSeconds(5));
        }
        assertThat(bench.declaredOff > 0).isEqualTo(heldOff);
    }

    private boolean falseOff(PowerReading reading, boolean there, int secondsLater) {
        bench.pass(Duration.ofSeconds(secondsLater))
                .reads(reading, true, there ? Bench.THERE : Bench.GONE);
        return bench.view().bmcReadsFalseOff();
    }

    @Test
    void aNodeThatHasJustLostItsPowerIsInTheClusterForAMoment() {
        assertThat(falseOff(PowerReading.ON, true, 0)).isFalse();
        assertThat(falseOff(PowerReading.OFF, true, 15)).isFalse();
        assertThat(falseOff(PowerReading.OFF, false, 5)).isFalse();
        assertThat(falseOff(PowerReading.OFF, false, 60)).isFalse();
    }

    @Test
    void offForLongWhileTheNodeIsThereIsNotBelievedUntilOnWasRead() {
        assertThat(falseOff(PowerReading.OFF, true, 0)).isFalse();
        assertThat(falseOff(PowerReading.OFF, true, 5)).isFalse();
        assertThat(falseOff(PowerReading.UNKNOWN, true, 3)).isFalse();
        assertThat(falseOff(PowerReading.OFF, true, 2)).isTrue();

        bench.fenced();
        assertThat(bench.acknowledged)
                .containsExactly(
                        new Action.Acknowledgement.NotBelieved(Action.Disbelief.OFF_WHILE_ALIVE));

        assertThat(falseOff(PowerReading.OFF, false, 60)).isTrue();
        assertThat(falseOff(PowerReading.ON, true, 60)).isFalse();
    }

    /**
     * Readings of the BMC with the peer in the membership, five seconds apart; "gone" is one look
     * at Corosync that misses the peer, "slow" 45 s and "wait" 125 s until the next, a star one
     * that is not known as the peer's.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    OFF OFF                        | false
                    OFF OFF OFF                    | true
                    OFF UNKNOWN OFF                | true
                    # two restarts of a BMC, hours apart, or before and after a fence
                    OFF wait OFF                   | false
                    OFF UNKNOWN wait UNKNOWN OFF   | false
                    OFF gone OFF                   | false
                    OFF gone gone OFF OFF          | false
                    OFF wait OFF OFF OFF           | true
                    # a slow BMC, and one that is too slow now and then
                    OFF slow OFF                   | true
                    OFF slow UNKNOWN slow OFF      | true
                    OFF slow ON slow OFF           | false
                    # what another machine reads is held against nobody
                    OFF* OFF* OFF*                 | false
                    OFF* OFF* OFF* OFF             | false
                    OFF OFF* OFF                   | true
                    # nor does it clear the peer's
                    OFF OFF OFF ON*                | true
                    """)
    void offWhilePresentIsASpanOfReadings(String readings, boolean falseOff) {
        for (String reading : readings.split(" ", -1)) {
            switch (reading) {
                case "gone" -> bench.peerIs(Bench.GONE);
                case "slow" -> bench.pass(Duration.ofSeconds(40));
                case "wait" -> bench.pass(Duration.ofMinutes(2));
                default -> {
                    PowerReading its = PowerReading.valueOf(reading.replace("*", ""));
                    boolean ofThePeer = !reading.endsWith("*");
                    bench.reads(its, ofThePeer, Bench.THERE);
                    readsSecond(bench, its, ofThePeer, Bench.THERE);
                }
            }
            bench.pass(Duration.ofSeconds(5));
        }
        assertThat(bench.view().bmcReadsFalseOff()).isEqualTo(falseOff);
        assertThat(bench.view().secondReadsFalseOff()).as("the second").isEqualTo(falseOff);
    }

    /** It is another BMC: what the first reads says nothing of it, and it proves nothing here. */
    @Test
    void theSecondBmcIsJudgedByTheSameRuleAndByItself() {
        Bench bench = new Bench("two 1:7").serves();
        Duration limit = bench.policy.offWhilePresent();

        readsSecond(bench, PowerReading.OFF, Bench.THERE);
        bench.pass(limit.minusSeconds(1));
        readsSecond(bench, PowerReading.UNKNOWN, Membership.UNKNOWN);
        assertThat(bench.view().secondReadsFalseOff()).isFalse();
        bench.pass(Duration.ofSeconds(1));
        readsSecond(bench, PowerReading.OFF, Bench.THERE);
        assertThat(bench.view().secondReadsFalseOff()).isTrue();
        assertThat(bench.view().bmcReadsFalseOff()).isFalse();
        assertThat(bench.bmcMarks).containsExactly(Action.BmcMark.SECOND_FALSE_OFF_BEGAN);

        bench.reads(PowerReading.ON, true, Membership.UNKNOWN);
        assertThat(bench.view().secondReadsFalseOff()).isTrue();
        readsSecond(bench, PowerReading.ON, Membership.UNKNOWN);
        assertThat(bench.view().secondReadsFalseOff()).isFalse();
        assertThat(bench.bmcMarks).endsWith(Action.BmcMark.SECOND_FALSE_OFF_ENDED);

        bench.peerIs(Bench.GONE);
        readsSecond(bench, PowerReading.OFF, Bench.GONE);
        bench.pass(limit.multipliedBy(2));
        readsSecond(bench, PowerReading.OFF, Bench.GONE);
        assertThat(bench.view().secondReadsFalseOff()).as("the peer is off").isFalse();
        assertThat(bench.told).as("a reading is no fence").containsExactly("start");
    }

    private static void readsSecond(Bench bench, PowerReading reading, Membership membership) {
        readsSecond(bench, reading, true, membership);
    }

    private static void readsSecond(
            Bench bench, PowerReading reading, boolean ofThePeer, Membership membership) {
        Bench _ = bench.on(new Event.SecondPowerRead(reading, ofThePeer, membership));
    }
}
