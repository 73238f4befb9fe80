package dev.tandem.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.state.Journal;
import dev.tandem.core.BootId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BootGateTest {
    private static final BootId BOOT = new BootId("this-boot");

    @TempDir private Path state;
    private Path mark = Path.of("");

    @BeforeEach
    void place() {
        mark = state.resolve("unheard");
    }

    private BootGate gate() {
        return new BootGate(
                mark,
                BOOT,
                List.of(),
                new Journal(state.resolve("journal.jsonl"), InstantSource.system()));
    }

    @Test
    void whoLosesThePeerNotesTheBootAndForgetsItWhenThePeerIsBack() throws IOException {
        BootGate gate = gate();

        gate.peerPresent(false);
        assertThat(mark).as("a peer that was never met").doesNotExist();
        gate.peerPresent(true);
        gate.peerPresent(false);
        assertThat(Files.readString(mark)).isEqualTo("this-boot\n");
        gate.peerPresent(true);
        assertThat(mark).doesNotExist();
    }

    @Test
    void theNoteOfAnEarlierBootGoesWithTheFirstMeeting() throws IOException {
        Files.writeString(mark, "boot-before\n");

        gate().peerPresent(true);

        assertThat(mark).doesNotExist();
    }

    @Test
    void aNoteOfAnEarlierBootKeepsCorosyncWaitingAndOneOfThisBootDoesNot() throws Exception {
        assertThat(started().sentence()).as("no note").isEmpty();

        Files.writeString(mark, "this-boot\n");
        assertThat(started().sentence()).isEmpty();

        Files.writeString(mark, "boot-before\n");
        assertThat(started().sentence())
                .hasValueSatisfying(text -> assertThat(text).contains("came and went"));
    }

    /** The loop asks Corosync, and so does every action of Pacemaker. */
    @Test
    void whateverSeveralThreadsToldAtOnceTheLastWordIsOnTheDisk() throws InterruptedException {
        BootGate gate = gate();
        gate.peerPresent(true);
        for (int round = 0; round < 50; round++) {
            List<Thread> threads =
                    Stream.of(true, false, true, false)
                            .map(present ->
                                    Thread.ofPlatform().start(() -> gate.peerPresent(present)))
                            .toList();
            for (Thread thread : threads) {
                thread.join();
            }
            gate.peerPresent(true);
            assertThat(mark).as("round %d", round).doesNotExist();
        }
    }

    private BootGate started() {
        BootGate gate = gate();
        gate.start();
        return gate;
    }
}
