package dev.tandem.host.bmc.login;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.bmc.login.LoginBackoff.Purpose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoginBackoffTest {
    /** The monotonic clock may begin anywhere, also shortly before its values wrap. */
    private long now = Long.MAX_VALUE - Duration.ofMinutes(3).toNanos();

    private Optional<Denials> kept = Optional.empty();
    private LoginBackoff backoff = program(LoginBackoff.SOON);

    private LoginBackoff program(Duration first) {
        return new LoginBackoff(
                first,
                () -> now,
                new LoginBackoff.Memory() {
                    @Override
                    public Optional<Denials> kept() {
                        return kept;
                    }

                    @Override
                    public void keep(Denials denials) {
                        kept = Optional.of(denials);
                    }

                    @Override
                    public void forget() {
                        kept = Optional.empty();
                    }
                });
    }

    private void passes(Duration time) {
        now += time.toNanos();
    }

    private boolean tries(Purpose purpose) {
        if (backoff.held(purpose).isPresent()) {
            return false;
        }
        LoginBackoff.Held _ = backoff.onDenied(purpose, 401, "no");
        return true;
    }

    /** Looks every second, for that long; the minutes at which it tried. */
    private List<Long> looks(Duration time) {
        List<Long> minutes = new ArrayList<>();
        for (long second = 0; second <= time.toSeconds(); second++) {
            if (tries(Purpose.LOOK)) {
                minutes.add(second / 60);
            }
            passes(Duration.ofSeconds(1));
        }
        return minutes;
    }

    @Test
    void looksAreFewAtFirstAndThenFarApart() {
        assertThat(looks(Duration.ofMinutes(40))).containsExactly(0L, 1L, 7L, 17L, 27L, 37L);
    }

    @Test
    void aNodeLooksAtItsOwnBmcSeldom() {
        backoff = program(LoginBackoff.OWN);

        assertThat(looks(Duration.ofMinutes(35))).containsExactly(0L, 15L, 30L);
    }

    /** A BMC that restarts denies what is right, and may be back within a minute. */
    @Test
    void ordersTryThreeTimesInTenMinutesAndNotAtOnce() {
        List<Integer> tried = new ArrayList<>();
        for (int order = 0; order < 20; order++) {
            if (tries(Purpose.ORDER)) {
                tried.add(order);
            }
            passes(Duration.ofSeconds(5));
        }

        assertThat(tried).as("after 0 s, 20 s and 80 s").containsExactly(0, 4, 16);
        passes(LoginBackoff.LONGEST);
        assertThat(tries(Purpose.ORDER)).isTrue();
    }

    /** Orders every 5 s, for that long; the seconds at which one tried. */
    private List<Long> orders(Duration time) {
        List<Long> seconds = new ArrayList<>();
        for (long second = 0; second <= time.toSeconds(); second += 5) {
            if (tries(Purpose.ORDER)) {
                seconds.add(second);
            }
            passes(Duration.ofSeconds(5));
        }
        return seconds;
    }

    /** It loads its users, and for longer than a minute denies what is right. */
    @Test
    void aBmcThatWasSilentBeforeIsTriedForLongerAndSoonerAgain() {
        backoff.onSilent();
        passes(Duration.ofMinutes(4));

        assertThat(orders(Duration.ofMinutes(40)))
                .as("three in a row, one when those are not counted any more, then every ten minutes")
                .containsExactly(0L, 60L, 180L, 540L, 1140L, 1740L, 2340L);
    }

    @Test
    void aSilenceLongBeforeOrAfterTheFirstDenialExcusesNothing() {
        backoff.onSilent();
        passes(Duration.ofMinutes(6));
        assertThat(tries(Purpose.ORDER)).isTrue();
        backoff.onSilent();
        passes(Duration.ofSeconds(20));

        assertThat(orders(Duration.ofMinutes(9))).containsExactly(0L, 60L);
    }

    /** What locks an account: wrong logins with less than 5 min between them, of both nodes. */
    @ParameterizedTest
    @CsvSource({
        // the BMC had been silent, the node dies so many seconds after the first denial
        "false, 0", "false, 65", "false, 500", "false, 900", "false, 1000", "true, 0", "true, 30",
        "true, 65", "true, 200", "true, 425", "true, 500", "true, 900", "true, 1000",
    })
    void neverFiveInARowWhateverComesTogether(boolean silent, int dies) {
        if (silent) {
            backoff.onSilent();
        }
        LoginBackoff fencing = backoff;
        LoginBackoff own = program(LoginBackoff.OWN);
        List<Long> wrong = new ArrayList<>();
        long begun = now;
        for (long second = 0; second < Duration.ofHours(2).toSeconds(); second++) {
            for (LoginBackoff each : List.of(fencing, own)) {
                backoff = each;
                if (tries(Purpose.LOOK)) {
                    wrong.add(now - begun);
                }
            }
            backoff = fencing;
            if (second >= dies && tries(Purpose.ORDER)) {
                wrong.add(now - begun);
            }
            passes(Duration.ofSeconds(1));
        }

        int row = 1;
        for (int i = 1; i < wrong.size(); i++) {
            boolean counted =
                    wrong.get(i) - wrong.get(i - 1) <= Duration.ofMinutes(5).toNanos();
            row = counted ? row + 1 : 1;
            assertThat(row).as("in a row, at %s s", wrong.get(i) / 1_000_000_000).isLessThan(5);
        }
    }

    @Test
    void theNextProgramKnowsThatTheBmcHadBeenSilent() {
        backoff.onSilent();
        assertThat(tries(Purpose.ORDER)).isTrue();
        backoff = program(LoginBackoff.SOON);

        assertThat(orders(Duration.ofMinutes(4))).containsExactly(60L, 180L);
    }

    @Test
    void anOrderTriesOnceAlsoAfterLooksThatWereDenied() {
        for (int denied = 0; denied < 5; denied++) {
            LoginBackoff.Held _ = backoff.onDenied(Purpose.LOOK, 401, "no");
        }

        assertThat(tries(Purpose.LOOK)).isFalse();
        assertThat(tries(Purpose.ORDER)).isTrue();
        assertThat(tries(Purpose.ORDER)).isFalse();
    }

    @Test
    void whatIsAcceptedIsForgotten() {
        assertThat(tries(Purpose.LOOK)).isTrue();
        assertThat(tries(Purpose.LOOK)).isFalse();

        backoff.onAccepted();

        assertThat(kept).isEmpty();
        assertThat(tries(Purpose.LOOK)).isTrue();
    }

    @Test
    void theNextProgramGoesOnWaiting() {
        assertThat(tries(Purpose.LOOK)).isTrue();
        passes(Duration.ofSeconds(10));

        backoff = program(LoginBackoff.SOON);

        assertThat(tries(Purpose.LOOK)).isFalse();
        passes(Duration.ofSeconds(50));
        assertThat(tries(Purpose.LOOK)).isTrue();
    }

    @Test
    void theWordsSayForHowLongAndWhenItIsTriedNext() {
        assertThat(backoff.onDenied(Purpose.LOOK, 401, "wrong").why())
                .isEqualTo("wrong (for 0 s; the next try is in 60 s, because BMCs lock accounts)");
        passes(Duration.ofMinutes(1));
        assertThat(tries(Purpose.LOOK)).isTrue();
        passes(Duration.ofMinutes(2));

        assertThat(backoff.held(Purpose.LOOK).orElseThrow())
                .isEqualTo(
                        new LoginBackoff.Held(
                                401,
                                "no (for 3 min; the next try is in 4 min, because BMCs lock"
                                        + " accounts)"));
    }
}
