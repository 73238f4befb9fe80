package dev.tandem.drill.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.SystemCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, one of which shows what it must not. */
class SecretScanTest {
    private final SecretScan scan = new SecretScan(new SystemCommands());

    @Test
    void aPasswordAmongArgumentsIsFound() throws IOException {
        Process shown = new ProcessBuilder("sh", "-c", "read line", "hunter-2-in-argv").start();
        try {
            assertThat(scan.inProcesses(Set.of("hunter-3-nowhere", "hunter-2-in-argv")))
                    .containsExactly("/proc/%d/cmdline".formatted(shown.pid()));
        } finally {
            shown.destroyForcibly();
        }
    }

    @Test
    void aPasswordInAnEnvironmentIsFound() throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", "read line");
        builder.environment().put("BMC_PASSWORD", "hunter-2-in-environment");
        Process shown = builder.start();
        try {
            assertThat(scan.inProcesses(Set.of("hunter-2-in-environment")))
                    .containsExactly("/proc/%d/environ".formatted(shown.pid()));
        } finally {
            shown.destroyForcibly();
        }
    }

    @Test
    void aPasswordInAFileIsFoundAndOneThatIsNowhereIsNot(@TempDir Path directory)
            throws IOException {
        Path log = Files.createDirectories(directory.resolve("deep")).resolve("agent.log");
        Files.write(log, new byte[] {0, 1, 2});
        Files.writeString(directory.resolve("note"), "nothing here");
        Files.writeString(log, "\0login with hunter * 2 failed\0");

        assertThat(scan.inFiles(Set.of("hunter * 2"), List.of(directory.toString())))
                .containsExactly(log.toString());
        assertThat(scan.inFiles(Set.of("hunter"), List.of("/no/such/directory"))).isEmpty();
        assertThat(scan.inProcesses(Set.of("this one " + "stands nowhere"))).isEmpty();
    }
}
