package dev.tandem.agent.bmc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.bmc.PowerOutcome;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcEvent;
import dev.tandem.redfishsim.testing.LoopbackBmc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that are killed and restarted, and a BMC that has four sessions. */
class FewSessionsTest {
    private static final BmcBehaviour FOUR = BmcBehaviour.FAULTLESS.withSessionLimit(4);
    private static final int RESTARTS = 100;

    @TempDir Path directory;
    private PairWithBmc pair;

    @BeforeEach
    void begin() throws IOException {
        pair = new PairWithBmc(directory);
    }

    @AfterEach
    void end() throws IOException {
        pair.close();
    }

    private long times(BmcEvent.Kind kind) {
        return pair.south.kinds().stream().filter(kind::equals).count();
    }

    private void fenceWorks() {
        assertThat(PairWithBmc.southsBmc(pair.sessions).off(LoopbackBmc.ENOUGH))
                .isInstanceOf(PowerOutcome.Observed.class);
        assertThat(pair.south.machine.isRunning()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAgentThatIsKilledGoesOnWithItsSession(boolean sessionsOnly) {
        pair.south.bmc.behave(FOUR.withSessionsOnly(sessionsOnly));

        for (int restart = 0; restart < RESTARTS; restart++) {
            pair.sessions.check();
            pair.killAgent();
        }

        assertThat(times(BmcEvent.Kind.SESSION_OPENED)).isOne();
        fenceWorks();
    }

    /** It is killed while it logs in: the answer is on its way, and so is the kill. */
    @Test
    void anAgentThatIsKilledWhileItLogsInCanFenceInTheEnd() throws Exception {
        pair.south.bmc.behave(FOUR);

        for (int restart = 0; restart < RESTARTS; restart++) {
            BmcSessions doomed = pair.sessions;
            CountDownLatch asks = new CountDownLatch(1);
            Thread looking =
                    Thread.ofVirtual()
                            .start(() -> {
                                asks.countDown();
                                doomed.check();
                            });
            asks.await();
            pair.killAgent();
            looking.interrupt();
            looking.join();
        }

        fenceWorks();
    }

    @Test
    void anAgentThatEndsInOrderLeavesNoSession() {
        pair.south.bmc.behave(FOUR);

        for (int restart = 0; restart < 10; restart++) {
            pair.sessions.check();
            pair.restartAgent();
        }

        assertThat(times(BmcEvent.Kind.SESSION_CLOSED))
                .isEqualTo(times(BmcEvent.Kind.SESSION_OPENED))
                .isEqualTo(10);
        assertThat(directory.resolve("run/bmc-session-south")).doesNotExist();
    }

    @Test
    void aSessionThatTheBmcHasEndedIsOpenedAgain() {
        pair.sessions.check();
        pair.south.bmc.behave(FOUR.withNewPassword("another"));
        pair.south.bmc.behave(FOUR);

        pair.killAgent();

        pair.sessions.check();
        assertThat(pair.checkOfSouth().state()).isPresent();
        assertThat(times(BmcEvent.Kind.SESSION_OPENED)).isEqualTo(2);
    }

    /** Some BMCs answer 401 to what an account may not see; the session is there all the same. */
    @Test
    void questionsThatAreRefusedLeaveNoSession() {
        pair.south.bmc.behave(FOUR.withAccountService(BmcBehaviour.AccountService.UNAUTHORIZED));
        for (int restart = 0; restart < 10; restart++) {
            pair.sessions.check();
            pair.asksForRights();
            pair.killAgent();
        }

        assertThat(times(BmcEvent.Kind.SESSION_OPENED) - times(BmcEvent.Kind.SESSION_CLOSED))
                .isOne();
    }

    @Test
    void onlyItsOwnerReadsTheSession() throws IOException {
        pair.sessions.check();

        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(
                                        directory.resolve("run/bmc-session-south"))))
                .isEqualTo("rw-------");
    }

    @Test
    void whatIsNotUnderstoodIsNoSession() throws IOException {
        for (String text : new String[] {"", "{}", "[1]", "{\"version\":1}", "\0"}) {
            Files.createDirectories(directory.resolve("run"));
            Files.writeString(directory.resolve("run/bmc-session-south"), text);
            Files.writeString(directory.resolve("run/bmc-denied-south"), text);

            pair.killAgent();
            pair.sessions.check();

            assertThat(pair.checkOfSouth().state()).as(text).isPresent();
        }
    }
}
