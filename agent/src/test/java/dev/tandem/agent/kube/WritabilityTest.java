package dev.tandem.agent.kube;

import static dev.tandem.agent.kube.Writability.Told.CAN;
import static dev.tandem.agent.kube.Writability.Told.CANNOT;
import static dev.tandem.agent.kube.Writability.Told.NOTHING;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WritabilityTest {
    private static final boolean HOLDER = true;
    private static final boolean OTHER = false;

    private Writability writability = Writability.UNKNOWN;

    @Test
    void theHolderSaysYesAtOnceAndTheOtherAfterASecond() {
        tried(true, 0, 5, HOLDER);
        assertThat(writability.told()).isEqualTo(CAN);

        writability = Writability.UNKNOWN;
        tried(true, 0, 5, OTHER);
        tried(true, 505, 510, OTHER);
        assertThat(writability.told()).isEqualTo(NOTHING);
        assertThat(writability.settled()).isFalse();
        tried(true, 1005, 1010, OTHER);
        assertThat(writability.told()).isEqualTo(CAN);
        assertThat(writability.settled()).isTrue();
    }

    @Test
    void theOtherSaysNoAtOnceAndTheHolderWhenItFailedForLong() {
        tried(true, 0, 5, HOLDER);
        tried(false, 1000, 1001, HOLDER);
        tried(false, 1500, 1501, HOLDER);
        tried(false, 4000, 4001, HOLDER);
        assertThat(writability.told()).isEqualTo(CAN);
        tried(false, 4500, 4501, HOLDER);
        assertThat(writability.told()).isEqualTo(CANNOT);

        writability = Writability.UNKNOWN;
        tried(false, 0, 5, OTHER);
        assertThat(writability.told()).isEqualTo(CANNOT);
    }

    @Test
    void anApiThatHangsIsLeftAfterTwoTries() {
        tried(true, 0, 5, HOLDER);
        tried(false, 1000, 2500, HOLDER);
        assertThat(writability.told()).isEqualTo(CAN);
        tried(false, 3000, 4500, HOLDER);
        assertThat(writability.told()).isEqualTo(CANNOT);
    }

    @Test
    void oneTryThatTakesLongIsNotEnough() {
        tried(true, 0, 5, HOLDER);
        tried(false, 1000, 9000, HOLDER);
        assertThat(writability.told()).isEqualTo(CAN);
        tried(true, 9500, 9505, HOLDER);
        assertThat(writability.told()).isEqualTo(CAN);
    }

    @Test
    void anEtcdThatIsKilledAndStartsInPlaceMovesNothing() {
        tried(true, 0, 5, HOLDER);
        for (long at = 1000; at < 4000; at += 500) {
            tried(false, at, at + 1, HOLDER);
            assertThat(writability.told()).isEqualTo(CAN);
        }
        tried(true, 4000, 4005, HOLDER);
        // The next death is a new one, however soon it comes.
        tried(false, 4600, 4601, HOLDER);
        tried(false, 5100, 5101, HOLDER);
        assertThat(writability.told()).isEqualTo(CAN);
    }

    @Test
    void whereBothFailTheOtherHasSaidSoBeforeTheHolder() {
        // Just after a write of the other began, and just before one of the holder.
        Writability other =
                Writability.UNKNOWN
                        .after(true, 0, 0, OTHER, Writability.PATIENCE)
                        .after(true, 0, ms(1), OTHER, Writability.PATIENCE);
        other = other.after(true, ms(1001), ms(1002), OTHER, Writability.PATIENCE);
        Writability holder = Writability.UNKNOWN.after(true, 0, 0, HOLDER, Writability.PATIENCE);
        other = other.after(false, ms(2002), ms(3502), OTHER, Writability.PATIENCE);
        holder = holder.after(false, ms(1003), ms(2503), HOLDER, Writability.PATIENCE);
        holder = holder.after(false, ms(3003), ms(4503), HOLDER, Writability.PATIENCE);

        assertThat(other.told()).isEqualTo(CANNOT);
        assertThat(holder.told()).isEqualTo(CANNOT);
    }

    @Test
    void aNodeThatGetsTheAddressWhileItWritesSaysSo() {
        tried(true, 0, 5, OTHER);
        tried(true, 500, 505, HOLDER);
        assertThat(writability.told()).isEqualTo(CAN);
    }

    private void tried(boolean written, long began, long ended, boolean holds) {
        writability = writability.after(written, ms(began), ms(ended), holds, Writability.PATIENCE);
    }

    /** A clock that has gone round, as it may. */
    private static long ms(long millis) {
        return Long.MAX_VALUE - 2_000_000_000L + millis * 1_000_000;
    }

    @Test
    void aHolderThatGaveUpAMomentAgoIsMorePatient() {
        Writability slow = Writability.UNKNOWN.after(true, 0, 0, HOLDER, Writability.PATIENCE);
        for (int i = 0; i < 10; i++) {
            slow =
                    slow.after(
                            false,
                            ms(2000L * i),
                            ms(2000L * i + 1500),
                            HOLDER,
                            Writability.LONGER_PATIENCE);
        }
        assertThat(slow.told()).isEqualTo(Writability.Told.CAN);
        slow = slow.after(false, ms(30_000), ms(31_500), HOLDER, Writability.LONGER_PATIENCE);
        assertThat(slow.told()).isEqualTo(Writability.Told.CANNOT);
    }
}
