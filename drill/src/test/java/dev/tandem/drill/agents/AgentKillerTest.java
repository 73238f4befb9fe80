package dev.tandem.drill.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.Commands;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whoever was to kill agents says how that went. */
class AgentKillerTest {
    private static final int MOST = 4;

    /** Ends when as many attempts were made as may be. */
    private static AgentKiller after(IntFunction<Commands.Output> attempt)
            throws InterruptedException {
        CountDownLatch made = new CountDownLatch(MOST);
        AtomicInteger number = new AtomicInteger();
        AgentKiller killer =
                new AgentKiller(
                        _ -> {
                            made.countDown();
                            return attempt.apply(number.incrementAndGet());
                        },
                        MOST,
                        Duration.ofMillis(4));
        killer.begin(new Random(1));
        boolean all = made.await(30, TimeUnit.SECONDS);
        killer.close();
        assertThat(all).as("all attempts were made").isTrue();
        return killer;
    }

    private static Commands.Output output(int exitCode) {
        return new Commands.Output(exitCode, "", "no such unit");
    }

    @Test
    void anAttemptThatFailsIsToldAndNotTheLast() throws InterruptedException {
        AgentKiller killer =
                after(number -> {
                    if (number == 1) {
                        throw new IllegalStateException("the lab does not answer");
                    }
                    return output(number == 2 ? 5 : 0);
                });

        assertThat(killer.kills()).hasSize(2);
        assertThat(killer.failures())
                .satisfiesExactly(
                        first -> assertThat(first).contains("the lab does not answer"),
                        second -> assertThat(second).contains("exit code 5 no such unit"));
    }

    @Test
    void aNodeWithoutPowerHasNoAgentToKill() throws InterruptedException {
        AgentKiller killer = after(_ -> output(Commands.Output.NOT_STARTED));

        assertThat(killer.kills()).isEmpty();
        assertThat(killer.failures()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"true, 0, 1", "true, 1, 0", "false, 0, 0"})
    void aSeriesThatWasToKillAndDidNotIsAFinding(boolean asked, int killed, int findings) {
        assertThat(AgentKiller.findings(asked, killed)).hasSize(findings);
    }
}
