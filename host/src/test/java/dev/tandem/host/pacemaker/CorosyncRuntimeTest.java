package dev.tandem.host.pacemaker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Answers as corosync-cmapctl of Corosync 3.1 gives them. */
class CorosyncRuntimeTest {
    private static final String ASK = "corosync-cmapctl -g runtime.config.totem.";

    private static RecordedCommands token() {
        return new RecordedCommands()
                .answer(ASK + "token", 0, "runtime.config.totem.token (u32) = 1000\n", "");
    }

    @Test
    void theTimeoutsAreThoseThatAreInUse() {
        RecordedCommands corosync =
                token().answer(
                                ASK + "consensus",
                                0,
                                "runtime.config.totem.consensus (u32) = 1200\n",
                                "");

        assertThat(new CorosyncRuntime(corosync).totem("token")).contains("1000");
        assertThat(new CorosyncRuntime(corosync).missedAfter()).contains(Duration.ofMillis(2200));
    }

    @Test
    void halfAnAnswerIsNone() {
        RecordedCommands corosync =
                token().answer(
                                ASK + "consensus",
                                1,
                                "",
                                "Failed to initialize the cmap API. Error CS_ERR_LIBRARY\n");

        assertThat(new CorosyncRuntime(corosync).missedAfter()).isEqualTo(Optional.empty());
        assertThat(
                        new CorosyncRuntime(
                                        new RecordedCommands()
                                                .answer(ASK, 0, "no such key = soon\n", ""))
                                .missedAfter())
                .isEmpty();
    }
}
