package dev.tandem.agentapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.replica.Claim;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is read of the agent's state file by those who only look at it. */
class TakeOverRecordsTest {
    private static final TakeOverRecords MARKS =
            new TakeOverRecords(
                    new Abdication.Departure(3),
                    new Claim.None(),
                    List.of(
                            new PeerProof.Fenced(
                                    new NodeName("node-1"),
                                    new BootId("b1"),
                                    "fence_tandem",
                                    PowerReading.OFF,
                                    Instant.EPOCH)));

    @Test
    void whatIsWrittenIsRead() {
        assertThat(TakeOverRecords.read(file(1))).isEqualTo(MARKS);
    }

    private static String file(int version) {
        return AgentJson.line(MARKS).replaceFirst("\\{", "{\"version\":" + version + ",");
    }

    @Test
    void anotherVersionIsRefused() {
        for (String file : List.of(file(2), AgentJson.line(MARKS))) {
            assertThatThrownBy(() -> TakeOverRecords.read(file))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("version");
        }
    }

    @Test
    void anotherVersionThatSaysItCanBeReadIsRead() {
        assertThat(TakeOverRecords.read(file(2).replaceFirst("\\{", "{\"readableBy\":1,")))
                .isEqualTo(MARKS);
    }

    /** Somebody renames a kind or a field. */
    @ParameterizedTest
    @CsvSource({
        "Departure, Leave",
        "Fenced, PoweredOff",
        "OFF, DARK",
        "proofs, evidence",
        "claim, title",
        "abdication, yield",
        "peerBoot, boot"
    })
    void whatIsNotUnderstoodIsRefused(String name, String renamed) {
        String file = file(1).replace(name, renamed);

        assertThatThrownBy(() -> TakeOverRecords.read(file))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
