package dev.tandem.cli.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReplicasRestoreTest {
    private static final String NAME = "2026-01-02T03-04-05Z";

    @TempDir private Path directory = Path.of("");

    @BeforeEach
    void aReplicaThatWasSetAside() throws IOException {
        Files.createDirectories(directory.resolve("kept").resolve(NAME));
    }

    /** systemctl of a node on which every unit is in this state. */
    private record Units(String state) implements Commands {
        @Override
        public Output run(Duration limit, List<String> command, String stdin) {
            return new Output(0, state + "\n", "");
        }
    }

    private int dryRun(String units) {
        return CommandLine.populateCommand(
                        new ReplicasRestoreCommand(Terminal.ofProcess(), new Units(units)),
                        "--directory",
                        directory.toString(),
                        "--dry-run",
                        NAME)
                .call();
    }

    @Test
    void aDryRunRefusesWhatTheRunWouldRefuse() {
        assertThatThrownBy(() -> dryRun("active"))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.what()).isEqualTo("cannot restore " + NAME);
                            assertThat(failure.remedy()).contains("systemctl stop pacemaker");
                        });
        assertThat(dryRun("inactive")).isEqualTo(ExitCode.FINE);
    }
}
