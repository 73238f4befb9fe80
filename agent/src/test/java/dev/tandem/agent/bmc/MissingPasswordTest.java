package dev.tandem.agent.bmc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.Secrets;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.PowerOutcome;
import dev.tandem.redfishsim.testing.LoopbackBmc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that lost the password of a BMC runs without that BMC, until it has one again. */
class MissingPasswordTest {
    @TempDir private Path directory;
    private PairWithBmc pair;
    private Path password;

    @BeforeEach
    void begin() throws IOException {
        pair = new PairWithBmc(directory);
        password = directory.resolve("password");
        Files.delete(password);
        pair.restartAgent();
    }

    @AfterEach
    void end() throws IOException {
        pair.close();
    }

    @Test
    void everyAnswerSaysWhichFileIsMissing() {
        pair.sessions.check();

        assertThat(pair.checkOfSouth().state()).isEmpty();
        assertThat(pair.checkOfSouth().trouble())
                .hasValueSatisfying(fault ->
                        assertThat(fault)
                                .isInstanceOfSatisfying(
                                        BmcFault.NoPassword.class,
                                        missing -> {
                                            assertThat(missing.why())
                                                    .contains(password + " does not exist");
                                            assertThat(missing.remedy())
                                                    .contains("cat > " + password);
                                        }));
        assertThat(pair.sessions.deniedPassword("south"))
                .as("the second level may see for itself")
                .isEmpty();
        assertThatThrownBy(() -> pair.sessions.credentials("south")).isInstanceOf(Failure.class);
    }

    @Test
    void aFenceFailsAtOnceAndNothingIsSent() {
        PowerOutcome outcome = PairWithBmc.southsBmc(pair.sessions).off(Duration.ofMinutes(5));

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        PowerOutcome.NotObserved.class,
                        none ->
                                assertThat(none.lastFault())
                                        .containsInstanceOf(BmcFault.NoPassword.class));
        assertThat(pair.south.kinds()).isEmpty();
    }

    @Test
    void oneThatIsWrittenAgainIsUsed() {
        pair.sessions.check();
        pair.sessions.readMissingPasswords();
        assertThat(pair.sessions.lacksPassword("south")).isTrue();
        Secrets.write(password, LoopbackBmc.PASSWORD + "\n", "rw-------");

        pair.sessions.readMissingPasswords();

        assertThat(pair.sessions.lacksPassword("south")).isFalse();
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> pair.checkOfSouth().state().isPresent());
        assertThat(pair.checkOfSouth().trouble()).isEqualTo(Optional.empty());
    }

    /** Nobody waits for the loop when a person has just written it. */
    @Test
    void whoeverNeedsItReadsItOnceMore() {
        Secrets.write(password, LoopbackBmc.PASSWORD + "\n", "rw-------");

        assertThat(pair.sessions.credentials("south").password()).isEqualTo(LoopbackBmc.PASSWORD);
    }
}
