package dev.tandem.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.Commands.Output;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SystemCommandsTest {
    private static final Duration ENOUGH = Duration.ofSeconds(20);

    private final Commands commands = new SystemCommands();

    @Test
    void exitCodeOutputAndErrorsComeBackApart() {
        Output output = commands.run(ENOUGH, List.of("sh", "-c", "echo out; echo err >&2; exit 3"));

        assertThat(output).isEqualTo(new Output(3, "out\n", "err\n"));
    }

    @Test
    void standardInputReachesTheProgram() {
        assertThat(commands.run(ENOUGH, List.of("cat"), "secret").out()).isEqualTo("secret");
    }

    @Test
    void aProgramThatIgnoresItsInputIsNoFailure() {
        assertThat(commands.run(ENOUGH, List.of("true"), "x".repeat(1 << 20)).ok()).isTrue();
    }

    /** The agent's heap is small, and what a program prints is for others to say. */
    @Test
    void aProgramThatDoesNotStopPrintingIsEnded() {
        Output output = commands.run(ENOUGH, List.of("cat", "/dev/zero"));

        assertThat(output.ok()).isFalse();
        assertThat(output.out()).isEmpty();
        assertThat(output.err()).contains("more than 8 MB");
    }

    @Test
    void moreOutputThanAPipeHoldsDoesNotStopTheProgram() {
        Output output = commands.run(ENOUGH, List.of("head", "-c", "1000000", "/dev/zero"));

        assertThat(output.out()).hasSize(1_000_000);
    }

    @Test
    void aProgramThatDoesNotExistIsAnAnswer() {
        assertThat(commands.run(ENOUGH, List.of("no-such-program")).exitCode())
                .isEqualTo(Output.NOT_STARTED);
    }

    @Test
    void theLimitEndsTheProgramAndItsChildren() {
        // The grandchild holds the pipe: were it left alive, this call would return only after 60
        // s.
        Output output =
                commands.run(Duration.ofMillis(200), List.of("sh", "-c", "sleep 60 & wait"));

        assertThat(output.exitCode()).isEqualTo(Output.TIMED_OUT);
    }

    @Test
    @Timeout(30)
    void aDaemonThatKeepsThePipesDoesNotHoldTheAnswerBack() {
        Output output = commands.run(ENOUGH, leaving("echo done; echo odd >&2; exit 3"));

        assertThat(output).isEqualTo(new Output(3, "done\n", "odd\n"));
    }

    @Test
    @Timeout(30)
    void aDaemonThatKeepsThePipesDoesNotHoldTheLimitBack() {
        Output output = commands.run(Duration.ofMillis(500), leaving("exec sleep 60"));

        assertThat(output.exitCode()).isEqualTo(Output.TIMED_OUT);
    }

    @Test
    void outputThatComesInPiecesIsWhole() {
        Output output =
                commands.run(
                        ENOUGH,
                        List.of(
                                "sh",
                                "-c",
                                "for i in 1 2 3; do head -c 100000 /dev/zero; sleep 0.1; done"));

        assertThat(output.out()).hasSize(300_000);
    }

    /**
     * A program that leaves a child of init behind, which nobody finds among its children, with
     * both pipes open; then it does what it is told.
     */
    private static List<String> leaving(String then) {
        return List.of("sh", "-c", "(setsid sh -c 'sleep 45 & exit' &) ; sleep 0.3; " + then);
    }
}
