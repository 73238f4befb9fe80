package dev.tandem.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
    void aLineThatNobodyTakesWasNotSent() {
        assertThat(Linux.notifySystemd(directory.resolve("none").toString(), "READY=1")).isFalse();
        assertThat(Linux.notifySystemd("", "READY=1")).isFalse();
        assertThat(Linux.notifySystemd("@tandem-nobody-listens", "READY=1")).isFalse();
        assertThat(Linux.notifySystemd("/" + "x".repeat(200), "READY=1")).isFalse();
    }
}
