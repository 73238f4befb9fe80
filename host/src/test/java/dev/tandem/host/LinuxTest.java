package dev.tandem.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinuxTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir private Path directory;

    @Test
    void theEndOfAProcessEndsTheWaitForItAndNothingElseDoes() throws IOException {
        Process process = new ProcessBuilder("sleep", "1000").start();
        Thread waits = Thread.ofPlatform().daemon().start(() -> Linux.awaitEnd(process.pid()));
        try {
            await("it waits in the kernel")
                    .atMost(SOON)
                    .until(() -> waits.getState() == Thread.State.RUNNABLE);
            waits.interrupt();
            assertThat(process.isAlive()).isTrue();
            assertThat(waits.isAlive()).isTrue();
        } finally {
            process.destroyForcibly();
        }

        await("the wait is over").atMost(SOON).until(() -> !waits.isAlive());
    }

    @Test
    void nobodyWaitsForAProcessThatIsNotThere() throws IOException, InterruptedException {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();

        Linux.awaitEnd(process.pid());
    }

    @Test
    void aProcessThatNobodyBuriesHasEnded() throws IOException {
        // The shell becomes a program that does not care about the child it got with it.
        Process parent =
                new ProcessBuilder("sh", "-c", "sleep 0.1 & echo $!; exec sleep 1000").start();
        try (BufferedReader said = parent.inputReader()) {
            long child = Long.parseLong(said.readLine());
            await("the child has ended").atMost(SOON).until(() -> Linux.hasEnded(child));

            assertThat(ProcessHandle.of(child)).isPresent();
            assertThat(Linux.hasEnded(parent.pid())).isFalse();
        } finally {
            parent.destroyForcibly();
        }
    }

    @Test
    void aLineThatNobodyTakesWasNotSent() {
        assertThat(Linux.notifySystemd(directory.resolve("none").toString(), "READY=1")).isFalse();
        assertThat(Linux.notifySystemd("", "READY=1")).isFalse();
        assertThat(Linux.notifySystemd("@tandem-nobody-listens", "READY=1")).isFalse();
        assertThat(Linux.notifySystemd("/" + "x".repeat(200), "READY=1")).isFalse();
    }
}
