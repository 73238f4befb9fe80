package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LostAnswerTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int version(OutputStream out) {
        Terminal terminal =
                new Terminal(
                        InputStream.nullInputStream(), out, err, false, false, false, false, false);
        return Main.run(terminal, "--version");
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
