package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class InterruptionTest {

    /** A process that ends, seen from within. */
    static final class Ending {
        private Ending() {}

        public static void main(String[] arguments) {
            System.out.println(Interruption.underWay());
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(() -> System.out.println(Interruption.underWay()), "last"));
        }
    }

    @Test
    void itIsUnderWayFromTheMomentInWhichTheProcessEnds() throws IOException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Ending.class.getName())
                        .redirectErrorStream(true)
                        .start();

        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("false\ntrue\n");
        assertThat(Interruption.underWay()).isFalse();
    }
}
