package dev.tandem.agent.bmc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.testing.Sketch;
import dev.tandem.host.Secrets;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPower;
import dev.tandem.host.bmc.PowerOutcome;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcEvent;
import dev.tandem.redfishsim.testing.LoopbackBmc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agents of both nodes and a BMC that locks an account after five wrong logins. */
class DeniedLoginTest {
    private static final BmcBehaviour LOCKING = BmcBehaviour.FAULTLESS.withLockAfter(5);
    private static final String NEW = "a new one";
    private static final Duration LOOK = Duration.ofSeconds(7);

    @TempDir Path directory;
    private final AtomicLong nanos = new AtomicLong();
    private PairWithBmc pair;

    /** South's agent, for which south's BMC is its own. */
    private BmcSessions south;

    @BeforeEach
    void begin() throws IOException {
        pair = new PairWithBmc(directory, nanos::get, () -> Instant.EPOCH.plusNanos(nanos.get()));
        south = pair.agentOf(Sketch.SOUTH);
        pair.sessions.check();
        south.check();
        pair.south.bmc.behave(LOCKING);
    }

    @AfterEach
    void end() throws IOException {
        south.close();
        pair.close();
    }

    private void passwordIsChangedInTheBmc() {
        pair.south.bmc.behave(LOCKING.withNewPassword(NEW));
    }

    /** Both agents look, ask for rights, and Pacemaker has the devices monitored. */
    private void watches(Duration time) {
        long end = nanos.get() + time.toNanos();
        while (nanos.get() < end) {
            for (BmcSessions agent : new BmcSessions[] {pair.sessions, south}) {
                agent.check();
                agent.askRightsIfDue();
                PairWithBmc.southsBmc(agent).read();
            }
            nanos.addAndGet(LOOK.toNanos());
        }
    }

    private long times(BmcEvent.Kind kind) {
        return pair.south.kinds().stream().filter(kind::equals).count();
    }

    private BmcPower southsBmc() {
        return PairWithBmc.southsBmc(pair.sessions);
    }

    private Optional<BmcFault> fault() {
        return pair.checkOfSouth().trouble();
    }

    @Test
    void aWatchDoesNotLockTheAccount() {
        passwordIsChangedInTheBmc();

        watches(Duration.ofHours(2));

        assertThat(times(BmcEvent.Kind.ACCOUNT_LOCKED)).isZero();
        assertThat(fault()).containsInstanceOf(BmcFault.Denied.class);
        assertThat(fault().orElseThrow().sentence()).contains("(for 119 min; the next try is in ");
    }

    @Test
    void theStoredPasswordIsTriedEveryFewHoursAndLeavesNoSession() {
        long before = times(BmcEvent.Kind.SESSION_OPENED);

        for (int i = 0; i < 7 * 60; i++) {
            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            pair.sessions.check();
            pair.sessions.tryPasswordIfDue();
        }

        assertThat(times(BmcEvent.Kind.SESSION_OPENED) - before).isEqualTo(2);
        assertThat(times(BmcEvent.Kind.SESSION_CLOSED)).isEqualTo(2);
        assertThat(pair.sessions.storedPasswordRefused("south")).isEmpty();
    }

    /** A plan that only says better which machine it is makes the connection once more. */
    @Test
    void whatWasDeniedStaysDeniedOverAConnectionThatIsMadeOnceMore() {
        passwordIsChangedInTheBmc();
        watches(Duration.ofMinutes(2));
        assertThat(pair.sessions.deniedPassword("south")).isPresent();
        long refused = times(BmcEvent.Kind.LOGIN_REFUSED);

        for (int i = 0; i < 5; i++) {
            pair.sessions.replace(pair.plan.node("south").orElseThrow());
            pair.sessions.check();
        }

        assertThat(pair.sessions.deniedPassword("south")).isPresent();
        assertThat(times(BmcEvent.Kind.LOGIN_REFUSED)).isEqualTo(refused);
    }

    /** As after a BMC that was locked for a while: the session goes on, and nobody else logs in. */
    @Test
    void whatTheSecondLevelWasDeniedIsTriedThoughASessionIsOpen() throws IOException {
        nanos.addAndGet(Duration.ofHours(1).toNanos());
        pair.sessions.check();
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        Path note =
                Files.writeString(
                        directory.resolve("run/bmc-denied-to-second-level-south"),
                        "1 %1$d %1$d false 127.0.0.1 %2$s\n"
                                .formatted(nanos.get() / 10_000_000, LoopbackBmc.USER));
        assertThat(pair.sessions.deniedPassword("south")).isPresent();
        long logins = times(BmcEvent.Kind.SESSION_OPENED);

        pair.sessions.tryPasswordIfDue();
        assertThat(pair.sessions.deniedPassword("south")).isPresent();
        assertThat(times(BmcEvent.Kind.SESSION_OPENED)).as("not at once").isEqualTo(logins);

        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        pair.sessions.tryPasswordIfDue();
        assertThat(pair.sessions.deniedPassword("south")).isEmpty();
        assertThat(note).doesNotExist();
    }

    @Test
    void whatWasDeniedIsNotTriedOnceMoreForAProof() {
        passwordIsChangedInTheBmc();
        nanos.addAndGet(Duration.ofHours(3).toNanos());
        pair.sessions.check();
        long refused = times(BmcEvent.Kind.LOGIN_REFUSED);

        pair.sessions.tryPasswordIfDue();

        assertThat(times(BmcEvent.Kind.LOGIN_REFUSED)).isEqualTo(refused);
    }

    /** Pacemaker repeats a fence that failed, at once and again and again. */
    @Test
    void ordersThatAreRepeatedDoNotLockTheAccountEither() {
        passwordIsChangedInTheBmc();
        watches(Duration.ofMinutes(2));
        south.close();

        for (int order = 0; order < 50; order++) {
            assertThat(southsBmc().off(LoopbackBmc.ENOUGH))
                    .isInstanceOf(PowerOutcome.NotObserved.class);
            nanos.addAndGet(LOOK.toNanos());
            pair.sessions.check();
        }

        assertThat(times(BmcEvent.Kind.ACCOUNT_LOCKED)).isZero();
    }

    /** Orders that are repeated until one succeeds; how long that took. */
    private Duration untilAnOrderSucceeds(Duration deniesFor) {
        long back = nanos.get();
        while (nanos.get() - back < Duration.ofHours(1).toNanos()) {
            if (nanos.get() - back >= deniesFor.toNanos()) {
                pair.south.bmc.behave(LOCKING);
            }
            if (southsBmc().off(LoopbackBmc.ENOUGH) instanceof PowerOutcome.Observed) {
                break;
            }
            pair.sessions.check();
            south.check();
            nanos.addAndGet(LOOK.toNanos());
        }
        return Duration.ofNanos(nanos.get() - back);
    }

    /** Its users are loaded last, and until then it denies what is right. */
    @Test
    void aBmcThatRestartsIsSwitchedAsSoonAsItKnowsItsUsers() {
        pair.south.bmc.behave(LOCKING.withReachability(BmcBehaviour.Reachability.HANGS_UP));
        pair.sessions.check();
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        passwordIsChangedInTheBmc();
        watches(LOOK);

        assertThat(untilAnOrderSucceeds(Duration.ofSeconds(170)))
                .isLessThan(Duration.ofSeconds(200));
        assertThat(times(BmcEvent.Kind.ACCOUNT_LOCKED)).isZero();
    }

    @Test
    void aBmcThatTakesTenMinutesForThatIsNotLockedEither() {
        pair.south.bmc.behave(LOCKING.withReachability(BmcBehaviour.Reachability.HANGS_UP));
        pair.sessions.check();
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        passwordIsChangedInTheBmc();
        watches(LOOK);

        assertThat(untilAnOrderSucceeds(Duration.ofMinutes(10))).isLessThan(Duration.ofMinutes(20));
        assertThat(times(BmcEvent.Kind.ACCOUNT_LOCKED)).isZero();
    }

    @Test
    void anOrderRightAfterTheChangeDoesNotLockTheAccountEither() {
        passwordIsChangedInTheBmc();
        for (int order = 0; order < 50; order++) {
            assertThat(southsBmc().off(LoopbackBmc.ENOUGH))
                    .isInstanceOf(PowerOutcome.NotObserved.class);
            south.check();
        }

        assertThat(times(BmcEvent.Kind.ACCOUNT_LOCKED)).isZero();
    }

    @Test
    void anAgentThatIsRestartedAgainAndAgainDoesNotLockTheAccountEither() {
        passwordIsChangedInTheBmc();

        for (int restart = 0; restart < 20; restart++) {
            pair.killAgent();
            pair.sessions.check();
        }

        assertThat(times(BmcEvent.Kind.LOGIN_REFUSED)).isOne();
    }

    @Test
    void anOrderTriesAlthoughALookWasDeniedJustNow() {
        passwordIsChangedInTheBmc();
        watches(Duration.ofSeconds(30));
        // Somebody undoes the change; no look is due for minutes.
        pair.south.bmc.behave(LOCKING);

        assertThat(southsBmc().off(LoopbackBmc.ENOUGH)).isInstanceOf(PowerOutcome.Observed.class);
        pair.sessions.check();
        assertThat(fault()).isEmpty();
    }

    @Test
    void newSettingsAreUsedAtOnce() {
        passwordIsChangedInTheBmc();
        watches(Duration.ofMinutes(30));
        Secrets.write(directory.resolve("password"), NEW + "\n", "rw-------");

        pair.sessions.replace(pair.plan.node("south").orElseThrow());

        Awaitility.await()
                .atMost(LoopbackBmc.ENOUGH)
                .until(() -> pair.checkOfSouth().state().isPresent());
        assertThat(southsBmc().off(LoopbackBmc.ENOUGH)).isInstanceOf(PowerOutcome.Observed.class);
        assertThat(pair.south.bmc.powerState()).isEqualTo(PowerState.OFF);
    }

    /** The remedy is also to set, in the BMC, the password that the agents use. */
    @Test
    void aLoginThatWasProvenIsTriedAtOnce() {
        passwordIsChangedInTheBmc();
        watches(Duration.ofMinutes(30));
        pair.south.bmc.behave(LOCKING);
        pair.sessions.check();
        assertThat(fault()).isPresent();

        pair.sessions.onAccepted("south");

        pair.sessions.check();
        assertThat(fault()).isEmpty();
    }

    @Test
    void nobodyElseLogsInWithThePasswordThatWasDenied() {
        assertThat(pair.sessions.deniedPassword("south")).isEmpty();
        passwordIsChangedInTheBmc();
        watches(LOOK);

        assertThat(pair.sessions.deniedPassword("south"))
                .hasValueSatisfying(why -> assertThat(why).contains("does not accept"));
        assertThat(pair.sessions.deniedPassword("north")).isEmpty();

        // A person has changed the file by hand, and the second level reads it.
        Secrets.write(directory.resolve("password"), NEW + "\n", "rw-------");
        assertThat(pair.sessions.deniedPassword("south")).isEmpty();
    }
}
