package dev.tandem.lab.pair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.lab.pair.Writer.Gap;
import java.net.URI;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What counts as a time without an acknowledgement. */
class WriterTest {
    private static final long SECOND = 1_000_000_000;

    /** Seconds; a pause and a gap read "from-to". */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    acknowledged | pauses   | gaps
                    # from 10 to 30
                    11 12 29     | ''       | 10-11 11-12 12-29 29-30
                    ''           | ''       | 10-30
                    5 9          | ''       | 10-30
                    11           | ''       | 10-11 11-30
                    # pauses aside
                    11 29        | 12-28    | 10-11 11-12 28-29 29-30
                    11           | 12-99    | 10-11 11-12
                    ''           | 12-14    | 10-12 14-30
                    ''           | 5-14     | 14-30
                    20           | 12-14 15-18 | 10-12 14-15 18-20 20-30
                    """)
    void aGapLastsUntilSomethingIsAcknowledgedOrTheEnd(
            String acknowledged, String pauses, String gaps) {
        assertThat(
                        Writer.gaps(
                                words(acknowledged).stream().map(WriterTest::nanos).toList(),
                                spans(pauses),
                                10 * SECOND,
                                30 * SECOND,
                                Duration.ZERO))
                .isEqualTo(spans(gaps));
    }

    private static List<String> words(String text) {
        return Arrays.stream(text.split(" ", -1)).filter(word -> !word.isEmpty()).toList();
    }

    private static long nanos(String seconds) {
        return Long.parseLong(seconds) * SECOND;
    }

    private static List<Gap> spans(String text) {
        return words(text).stream()
                .map(word -> word.split("-", -1))
                .map(span -> new Gap(nanos(span[0]), nanos(span[1])))
                .toList();
    }

    /** In a total outage nothing ends the gap, and it is the longest all the same. */
    @Test
    void whoNeverWroteHasAGapFromTheBeginningUntilTheEnd() throws NoSuchAlgorithmException {
        long begun = System.nanoTime() - 10 * SECOND;
        try (Writer writer =
                new Writer(
                        "/written/",
                        List.of(URI.create("https://127.0.0.1:1")),
                        SSLContext.getDefault(),
                        1)) {
            assertThat(writer.longestGapSince(begun).length()).isGreaterThan(Duration.ofSeconds(9));

            writer.stop();
            Duration whole = writer.longestGapSince(begun).length();
            assertThat(writer.longestGapSince(begun).length()).isEqualTo(whole);
            assertThat(writer.gapsSince(begun, Duration.ofSeconds(9))).hasSize(1);
        }
    }
}
