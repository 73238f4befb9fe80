package dev.tandem.agent.bmc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BmcAddress;
import dev.tandem.host.Secrets;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.testing.LoopbackBmc;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The second BMC of a node follows the plan while the agent runs. */
class SecondBmcTest {
    @TempDir private Path directory;

    private PairWithBmc pair;
    private ClusterPlan.Node south;

    @BeforeEach
    void begin() throws IOException {
        pair = PairWithBmc.withSecond(directory);
        south = pair.plan.node("south").orElseThrow();
    }

    @AfterEach
    void end() throws IOException {
        pair.close();
    }

    private ClusterPlan.Node with(Optional<ClusterPlan.Bmc> second) {
        ClusterPlan.Bmc bmc = south.bmc();
        return new ClusterPlan.Node(
                south.name(),
                south.addresses(),
                new ClusterPlan.Bmc(
                        bmc.address(), bmc.username(), bmc.password(), bmc.verification(), second),
                south.identity());
    }

    private boolean hasSecond() {
        return pair.sessions.second().filter(second -> second.has("south")).isPresent();
    }

    @Test
    void oneThatIsNoLongerPlannedIsForgottenAndOneThatIsNewIsUsed() {
        assertThat(pair.sessions.secondDiffers(south)).isFalse();
        assertThat(pair.sessions.secondDiffers(with(Optional.empty()))).isTrue();

        pair.sessions.replace(with(Optional.empty()));

        assertThat(hasSecond()).isFalse();
        assertThat(pair.sessions.secondDiffers(with(Optional.empty()))).isFalse();
        assertThat(pair.sessions.secondDiffers(south)).isTrue();

        pair.sessions.replace(south);

        assertThat(hasSecond()).isTrue();
        assertThat(pair.sessions.secondDiffers(south)).isFalse();
    }

    @Test
    void anotherAddressIsUsed() {
        ClusterPlan.Bmc before = south.bmc().second().orElseThrow();
        BmcAddress moved = BmcAddress.of("ipmi://127.0.0.1:11");
        ClusterPlan.Node planned =
                with(
                        Optional.of(
                                new ClusterPlan.Bmc(
                                        moved,
                                        before.username(),
                                        before.password(),
                                        before.verification(),
                                        Optional.empty())));
        assertThat(pair.sessions.secondDiffers(planned)).isTrue();

        pair.sessions.replace(planned);

        assertThat(pair.sessions.second().orElseThrow().address("south")).isEqualTo(moved);
    }

    @Test
    void aPasswordThatWasWrittenIsSeenToDiffer() throws IOException {
        PasswordSource password = south.bmc().second().orElseThrow().password();
        Path file = ((PasswordSource.InFile) password).file();
        Secrets.write(file, "another\n", "rw-------");

        assertThat(pair.sessions.secondDiffers(south)).isTrue();

        pair.sessions.replace(south);

        assertThat(pair.sessions.secondDiffers(south)).isFalse();
    }

    /** Nobody answers there, and nobody is to be asked with what the same BMC has just denied. */
    @Test
    void whatTheFirstWasDeniedTheSecondDoesNotTry() {
        ClusterPlan.Bmc before = south.bmc().second().orElseThrow();
        pair.south.bmc.behave(BmcBehaviour.FAULTLESS.withNewPassword("another"));
        pair.sessions.replace(
                with(
                        Optional.of(
                                new ClusterPlan.Bmc(
                                        before.address(),
                                        LoopbackBmc.USER,
                                        before.password(),
                                        before.verification(),
                                        Optional.empty()))));
        BmcSessions second = pair.sessions.second().orElseThrow();
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> {
                    pair.sessions.check("south");
                    assertThat(pair.sessions.deniedPassword("south")).isPresent();
                    second.check("south");
                    assertThat(Objects.requireNonNull(second.checks().get("south")).trouble())
                            .containsInstanceOf(BmcFault.Denied.class);
                });

        assertThat(second.deniedPassword("south")).as("an order may try it").isEmpty();
    }
}
