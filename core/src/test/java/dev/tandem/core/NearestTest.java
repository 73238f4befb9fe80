package dev.tandem.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestTest {
    private static final List<String> KNOWN = List.of("status", "split", "start", "stop", "lab");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    typed    | meant
                    statsu   | status
                    stats    | status
                    sta      | start status
                    lba      | lab
                    nonsense | ''
                    """)
    void finds(String typed, String meant) {
        assertThat(String.join(" ", Nearest.to(typed, KNOWN))).isEqualTo(meant);
    }
}
