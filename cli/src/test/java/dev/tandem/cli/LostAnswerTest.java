package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LostAnswerTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int version(OutputStream out) {
        return run(out, "--version");
    }

    private int run(OutputStream out, String... arguments) {
        Terminal terminal =
                new Terminal(
                        InputStream.nullInputStream(), out, err, false, false, false, false, false);
        return Main.run(terminal, arguments);
    }

    @Test
    void whoseWorkIsDoneIsNotToldToDoItAgain(@TempDir Path directory) throws IOException {
        Path site = directory.resolve("site");
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            assertThat(run(full, "certs", "create", "--dir", site.toString()))
                    .isEqualTo(ExitCode.COULD_NOT_ASK);
        }
        assertThat(site.resolve("ca.key")).exists();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("the work was done, but the answer could not be written")
                .contains("a change is made already");
    }

    /** Nothing was changed there. */
    @Test
    void aFindingThatGotLostIsAskedForAgain(@TempDir Path directory) throws IOException {
        Path plan = Files.writeString(directory.resolve("plan.yaml"), "name: site-17\n");
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            assertThat(run(full, "cluster", "plan", "validate", plan.toString()))
                    .isEqualTo(ExitCode.FINDING);
        }
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("fix: run it again with its output where there is room");
    }

    @Test
    void anAnswerThatADiskDoesNotTakeIsNoSuccess() throws IOException {
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            assertThat(version(full)).isEqualTo(ExitCode.COULD_NOT_ASK);
        }
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("the answer could not be written", "No space left on device");
    }

    @Test
    void aReaderThatHasGoneHasWhatItWants() {
        OutputStream pipe =
                new OutputStream() {
                    @Override
                    public void write(int one) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                };

        assertThat(version(pipe)).isZero();
        assertThat(err.size()).isZero();
    }
}
