package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTest {

    @Test
    void withoutAScreenItIsPlainLines() {
        ScreenTerminal log = ScreenTerminal.unattended();
        try (Progress progress = new Progress(log.terminal())) {
            progress.step("unpacking").done(1, 2);
            progress.note("mirror is slow");
            progress.step("booting");
        }

        assertThat(log.err().replaceAll("\\d+\\.\\d s", "T").lines())
                .containsExactly(
                        "unpacking ...",
                        "mirror is slow",
                        "unpacking: 50 % (T)",
                        "booting ...",
                        "booting (T)");
        assertThat(log.out()).isEmpty();
    }

    @Test
    void aStepThatFailedIsNotCalledDone() {
        ScreenTerminal log = ScreenTerminal.unattended();
        Progress progress = new Progress(log.terminal());
        progress.step("booting");
        progress.abandon();

        assertThat(log.err().lines()).containsExactly("booting ...");
    }

    @Test
    void onAScreenTheLineIsDrawnOver() {
        ScreenTerminal person = ScreenTerminal.attended("");
        try (Progress progress = new Progress(person.terminal())) {
            progress.step("booting");
        }

        assertThat(person.err()).contains("\r\033[2K").endsWith(" s)\n");
    }

    @ParameterizedTest
    @CsvSource({"0.04,0.0 s", "59.94,59.9 s", "60,1 min 00 s", "119.6,2 min 00 s"})
    void durationsReadNaturally(double seconds, String text) {
        assertThat(Progress.seconds(Duration.ofMillis(Math.round(seconds * 1000)).toNanos()))
                .isEqualTo(text);
    }
}
