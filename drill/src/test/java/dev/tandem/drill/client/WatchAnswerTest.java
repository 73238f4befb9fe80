package dev.tandem.drill.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a watcher knows that something is missing; the lines are those of etcd 3.5.16. */
class WatchAnswerTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    revision   | second answer                                       | told
                    # The store is below what the client has seen: it waits, and nobody tells it.
                    900        | {}                                                  | false
                    # Somebody has written past it: other content under numbers that it knows.
                    1200       | {"events":[{"kv":{"key":"YQ=="}}]}                  | false
                    # It is told only of what it has seen itself.
                    1200       | {"canceled":true,"compact_revision":"800"}          | false
                    1200       | {"canceled":true,"compact_revision":"1000"}         | false
                    # Ended for another reason.
                    1200       | {"canceled":true,"cancel_reason":"no"}              | false
                    # The store has jumped.
                    1000000900 | {"canceled":true,"compact_revision":"1000000900"}   | true
                    """)
    void aWatcherIsTold(String revision, String second, boolean told) {
        String answer =
                "{\"result\":{\"header\":{\"revision\":\"%s\"},\"created\":true}}\n{\"result\":%s}\n"
                        .formatted(revision, second);

        assertThat(new WatchAnswer(answer).tellsOfLossAfter(1000)).isEqualTo(told);
        assertThat(new WatchAnswer(answer + "{\"result\":{\"hea").tellsOfLossAfter(1000))
                .as("an answer that is cut off")
                .isEqualTo(told);
    }
}
