package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
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
    void whoeverIsInterruptedHearsWhatIsUndoneAndNoMoreOfTheStep() {
        ScreenTerminal screen = ScreenTerminal.attended("");
        AtomicBoolean interrupted = new AtomicBoolean();
        try (Progress progress = new Progress(screen.terminal(), interrupted::get)) {
            progress.step("making the pair");
            interrupted.set(true);
            progress.note("interrupted: removing it again");
        }

        assertThat(screen.err()).endsWith("interrupted: removing it again\n\r\033[2K");
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
