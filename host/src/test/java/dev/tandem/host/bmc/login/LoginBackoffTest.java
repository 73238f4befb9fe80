package dev.tandem.host.bmc.login;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.bmc.login.LoginBackoff.Purpose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoginBackoffTest {
    /** The monotonic clock may begin anywhere, also shortly before its values wrap. */
    private long now = Long.MAX_VALUE - Duration.ofMinutes(3).toNanos();

    /** Of one node. */
    private static final class Kept implements LoginBackoff.Memory {
        private Optional<Denials> denials = Optional.empty();

        @Override
        public Optional<Denials> kept() {
            return denials;
        }

        @Override
        public void keep(Denials more) {
            denials = Optional.of(more);
        }

        @Override
        public void forget() {
            denials = Optional.empty();
        }
    }

    private final Kept kept = new Kept();
    private LoginBackoff backoff = program(LoginBackoff.SOON);

    private LoginBackoff program(Duration first) {
        return program(first, kept);
    }

    private LoginBackoff program(Duration first, Kept memory) {
        return new LoginBackoff(first, () -> now, memory);
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
        assertThat(looks(Duration.ofMinutes(40))).containsExactly(0L, 1L, 11L, 21L, 31L);
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
    void aBmcThatWasSilentBeforeIsTriedForLonger() {
        backoff.onSilent();
        passes(Duration.ofMinutes(4));

        assertThat(orders(Duration.ofMinutes(40)))
                .as("three in a row over four minutes, then every ten minutes")
                .containsExactly(0L, 60L, 240L, 840L, 1440L, 2040L);
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

    /**
     * What locks an account: wrong logins with less than 5 min between them, of both nodes. The
     * node dies, and the other agent meets its first denial, at any time after the first one.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void neverFiveInARowWhateverComesTogether(boolean silent) {
        for (long dies = 0; dies < 1300; dies += 35) {
            for (long other = 0; other < 900; other += 25) {
                List<Long> wrong = wrongLogins(silent, dies, other);
                int row = 1;
                for (int i = 1; i < wrong.size(); i++) {
                    row = wrong.get(i) - wrong.get(i - 1) < 300 ? row + 1 : 1;
                    assertThat(row)
                            .as("dies at %s, other at %s: %s", dies, other, wrong)
                            .isLessThan(5);
                }
            }
        }
    }

    /** Of an hour, in seconds; on both nodes somebody repeats a command all the time. */
    private List<Long> wrongLogins(boolean silent, long dies, long other) {
        Kept ofFencing = new Kept();
        Kept ofOwn = new Kept();
        LoginBackoff fencing = program(LoginBackoff.SOON, ofFencing);
        LoginBackoff own = program(LoginBackoff.OWN, ofOwn);
        if (silent) {
            fencing.onSilent();
            own.onSilent();
        }
        List<Long> wrong = new ArrayList<>();
        for (long second = 0; second < 3600; second += 5) {
            backoff = fencing;
            if (tries(Purpose.LOOK)) {
                wrong.add(second);
            }
            if (second >= dies && tries(Purpose.ORDER)) {
                wrong.add(second);
            }
            backoff = program(LoginBackoff.SOON, ofFencing);
            if (tries(Purpose.LOOK)) {
                wrong.add(second);
            }
            backoff = own;
            if (second >= other && tries(Purpose.LOOK)) {
                wrong.add(second);
            }
            backoff = program(LoginBackoff.OWN, ofOwn);
            if (second >= other && tries(Purpose.LOOK)) {
                wrong.add(second);
            }
            passes(Duration.ofSeconds(5));
        }
        return wrong;
    }

    private static LoginBackoff forgetful(Duration first, LongSupplier clock) {
        return new LoginBackoff(first, clock, LoginBackoff.Memory.NONE);
    }

    /**
     * IPMI beside Redfish, with one account: IPMI logs in with every request, and Redfish when its
     * session has ended.
     */
    @Test
    void neverFiveInARowByBothWaysOfBothNodes() {
        for (long ends = 0; ends < 900; ends += 90) {
            for (long dies = 0; dies < 900; dies += 90) {
                for (long other = 0; other < 900; other += 90) {
                    List<Long> wrong = wrongLoginsByBothWays(ends, dies, other);
                    int row = 1;
                    for (int i = 1; i < wrong.size(); i++) {
                        row = wrong.get(i) - wrong.get(i - 1) < 300 ? row + 1 : 1;
                        assertThat(row)
                                .as("ends %s, dies %s, other %s: %s", ends, dies, other, wrong)
                                .isLessThan(5);
                    }
                }
            }
        }
    }

    private List<Long> wrongLoginsByBothWays(long ends, long dies, long other) {
        List<LoginBackoff> fencing = bothWays(LoginBackoff.SOON);
        List<LoginBackoff> own = bothWays(LoginBackoff.OWN);
        List<Long> wrong = new ArrayList<>();
        for (long second = 0; second < 2400; second += 5) {
            for (LoginBackoff way : fencing) {
                backoff = way;
                boolean redfish = way.equals(fencing.getFirst());
                if ((!redfish || second >= ends) && tries(Purpose.LOOK)) {
                    wrong.add(second);
                }
                if (redfish && second >= dies && tries(Purpose.ORDER)) {
                    wrong.add(second);
                }
            }
            for (LoginBackoff way : own) {
                backoff = way;
                if (second >= other && tries(Purpose.LOOK)) {
                    wrong.add(second);
                }
            }
            passes(Duration.ofSeconds(5));
        }
        return wrong;
    }

    private List<LoginBackoff> bothWays(Duration first) {
        LoginBackoff redfish = forgetful(first, () -> now);
        LoginBackoff ipmi = forgetful(first, () -> now);
        redfish.countWith(Optional.of(ipmi));
        ipmi.countWith(Optional.of(redfish));
        return List.of(redfish, ipmi);
    }

    /** As an account that IPMI is not enabled for. */
    @Test
    void whatIsAcceptedInOneWayIsNotHeldForTheOther() {
        List<LoginBackoff> ways = bothWays(LoginBackoff.SOON);
        backoff = ways.getLast();
        assertThat(tries(Purpose.LOOK)).isTrue();
        LoginBackoff redfish = ways.getFirst();
        assertThat(redfish.held(Purpose.LOOK)).isPresent();
        assertThat(redfish.held(Purpose.ORDER)).isEmpty();
        assertThat(redfish.denied()).isFalse();

        redfish.onAccepted();
        for (int minute = 0; minute < 60; minute++) {
            boolean _ = tries(Purpose.LOOK);
            assertThat(redfish.held(Purpose.LOOK)).isEmpty();
            passes(Duration.ofMinutes(1));
        }
    }

    /** A look that is denied soon after the restart leaves the tries to an order. */
    @Test
    void looksAtABmcThatWasSilentBeforeAreFewer() {
        backoff.onSilent();

        assertThat(looks(Duration.ofMinutes(30))).containsExactly(0L, 3L, 13L, 23L);
    }

    @Test
    void theNextProgramKnowsThatTheBmcHadBeenSilent() {
        backoff.onSilent();
        assertThat(tries(Purpose.ORDER)).isTrue();
        backoff = program(LoginBackoff.SOON);

        assertThat(orders(Duration.ofMinutes(5))).containsExactly(60L, 240L);
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

        assertThat(kept.kept()).isEmpty();
        assertThat(tries(Purpose.LOOK)).isTrue();
    }

    /** A command of a person's beside the agent: the BMC counts both. */
    @Test
    void whatAnotherProgramOfThisNodeWasDeniedIsNotTriedHere() {
        LoginBackoff agent = program(LoginBackoff.SOON);
        assertThat(agent.held(Purpose.LOOK)).isEmpty();
        assertThat(tries(Purpose.LOOK)).isTrue();

        assertThat(agent.held(Purpose.LOOK)).isPresent();
        assertThat(agent.denied()).isTrue();
        passes(LoginBackoff.SOON);
        agent.onAccepted();

        assertThat(tries(Purpose.LOOK)).as("the agent was accepted").isTrue();
    }

    /** By {@code fencing set}, after which a command would be refused all the same. */
    @Test
    void whatACommandWasDeniedIsForgottenWhenTheAgentIsAccepted() {
        LoginBackoff agent = program(LoginBackoff.SOON);
        assertThat(agent.held(Purpose.LOOK)).isEmpty();
        assertThat(tries(Purpose.LOOK)).isTrue();

        agent.onAccepted();

        assertThat(program(LoginBackoff.SOON).held(Purpose.LOOK)).isEmpty();
    }

    /** Its file could not be deleted. */
    @Test
    void whatWasDeniedBeforeALoginThatWasAcceptedIsOver() {
        assertThat(tries(Purpose.LOOK)).isTrue();
        Denials denied = kept.kept().orElseThrow();
        passes(Duration.ofSeconds(1));
        backoff.onAccepted();
        kept.keep(denied);

        assertThat(backoff.held(Purpose.LOOK)).isEmpty();
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
                                "no (for 3 min; the next try is in 8 min, because BMCs lock"
                                        + " accounts)"));
    }
}
