package dev.tandem.drill.secret;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processes that live for a moment. */
class ProcessWatchTest {
    private static final Duration ENOUGH = Duration.ofSeconds(60);

    private final KnownSecrets secrets = new KnownSecrets();

    /** As a fence does it, which asks several times: one of these is met by a look. */
    private void runAgainAndAgain(ProcessWatch watch, ProcessBuilder program) throws Exception {
        Deadline deadline = Deadline.in(ENOUGH);
        while (watch.leaks().isEmpty() && !deadline.passed()) {
            assertThat(program.start().waitFor()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"hunter-2 in argv, among its arguments", "hunter-2 & more, in its environment"})
    void whatAProgramShowsForATenthOfASecondIsFound(String password, String where)
            throws Exception {
        secrets.add(Secret.password("the password", password, "admin"));
        ProcessBuilder program =
                where.endsWith("arguments")
                        ? new ProcessBuilder("sh", "-c", "sleep 0.1; :", password)
                        : new ProcessBuilder("sleep", "0.1");
        if (where.endsWith("environment")) {
            program.environment().put("PASSWORD", password);
        }
        try (ProcessWatch watch = new ProcessWatch(secrets, _ -> Optional.of("node-1"))) {
            runAgainAndAgain(watch, program);

            assertThat(watch.leaks())
                    .isNotEmpty()
                    .allMatch(leak ->
                            leak.startsWith("node-1: ") && leak.endsWith("the password " + where));
        }
    }

    /** The lab's daemon, and whoever else is on the host. */
    @Test
    void aProcessThatIsNotOfANodeMayShowWhatItLikes() throws Exception {
        secrets.add(Secret.password("the password", "hunter-2-of-the-host"));
        Process shown = new ProcessBuilder("sh", "-c", "read line", "hunter-2-of-the-host").start();
        try (ProcessWatch watch =
                new ProcessWatch(
                        secrets,
                        process -> Optional.of("node-1").filter(_ -> process != shown.pid()))) {
            runAgainAndAgain(watch, witness());

            assertThat(watch.leaks()).isNotEmpty().allMatch(leak -> leak.contains("a witness"));
        } finally {
            shown.destroyForcibly();
        }
    }

    /** When this is found, all that was there before has been looked at. */
    private ProcessBuilder witness() throws IOException {
        secrets.add(Secret.password("a witness", "hunter-3-the-witness"));
        return new ProcessBuilder("sh", "-c", "sleep 0.1; :", "hunter-3-the-witness");
    }
}
