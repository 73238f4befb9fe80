package dev.tandem.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.state.Journal;
import dev.tandem.core.BootId;
import dev.tandem.core.link.LinkStability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BootGateTest {
    private static final BootId BOOT = new BootId("this-boot");
    private static final Optional<BootId> PEER = Optional.of(new BootId("peer-boot"));

    @TempDir private Path state;
    private Path mark = Path.of("");
    private long now;

    @BeforeEach
    void place() {
        mark = state.resolve("unheard");
    }

    private BootGate gate() {
        return new BootGate(
                mark,
                BOOT,
                List::of,
                new Journal(state.resolve("journal.jsonl"), InstantSource.system()),
                () -> now,
                (_, why) -> told.add(why));
    }

    private final List<String> told = new ArrayList<>();

    @Test
    void whoLosesThePeerNotesTheBootAndForgetsItWhenThePeerIsBackInAnother() throws IOException {
        BootGate gate = gate();

        gate.peerPresent(false, PEER);
        assertThat(mark).as("a peer that was never met").doesNotExist();
        gate.peerPresent(true, PEER);
        gate.peerPresent(false, PEER);
        assertThat(Files.readString(mark)).isEqualTo("version=1;boot=this-boot\n");
        gate.peerPresent(true, Optional.of(new BootId("peer-boot-2")));
        assertThat(mark).doesNotExist();
    }

    /** A fence that was ordered while the peer was cut off may arrive after it is back. */
    @Test
    void aPeerThatIsBackInTheSameBootIsForgottenOnlyWhenItStays() throws IOException {
        BootGate gate = gate();
        gate.peerPresent(true, PEER);
        gate.peerPresent(false, PEER);

        gate.peerPresent(true, PEER);
        now += LinkStability.STABLE_FOR.toNanos() - 1;
        gate.peerPresent(true, PEER);
        assertThat(Files.readString(mark)).isEqualTo("version=1;boot=this-boot\n");

        gate.peerPresent(false, PEER);
        gate.peerPresent(true, PEER);
        now += 1;
        gate.peerPresent(true, PEER);
        assertThat(mark).as("away in between").exists();

        now += LinkStability.STABLE_FOR.toNanos() - 1;
        gate.peerPresent(true, PEER);
        assertThat(mark).doesNotExist();
    }

    @Test
    void theNoteOfAnEarlierBootIsThisBootsFromTheFirstMeetingAndGoesWhenThePeerStays()
            throws IOException {
        Files.writeString(mark, "boot-before\n");
        BootGate gate = gate();

        gate.peerPresent(true, PEER);
        assertThat(Files.readString(mark)).isEqualTo("version=1;boot=this-boot\n");

        now += LinkStability.STABLE_FOR.toNanos();
        gate.peerPresent(true, PEER);
        assertThat(mark).doesNotExist();
    }

    @Test
    void aNoteOfAnEarlierBootKeepsCorosyncWaitingAndOneOfThisBootDoesNot() throws Exception {
        assertThat(started().sentence()).as("no note").isEmpty();

        Files.writeString(mark, "this-boot\n");
        assertThat(started().sentence()).isEmpty();

        Files.writeString(mark, "boot-before\n");
        assertThat(started().sentence())
                .hasValueSatisfying(
                        text -> assertThat(text).contains("was unstable before this boot"));
    }

    /** The first agents wrote the name of the boot and nothing else. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    this-boot                                      | false
                    boot-before                                    | true
                    version=1;boot=this-boot                       | false
                    version=1;boot=boot-before                     | true
                    version=2;readableBy=1;boot=this-boot;since=7  | false
                    version=2;readableBy=1;boot=boot-before        | true
                    """)
    void aMarkOfAnyFormThatCanBeReadIsRead(String content, boolean waits) throws IOException {
        Files.writeString(mark, content + "\n");

        assertThat(started().sentence().isPresent()).isEqualTo(waits);
        assertThat(told).isEmpty();
    }

    /** It only saves restarts. */
    @ParameterizedTest
    @CsvSource({
        "version=2;boot=boot-before, version 2",
        "version=1;since=7, names no boot",
        "'', names no boot",
        "what is this?, names no boot"
    })
    void aMarkThatIsNotUnderstoodIsToldAndKeepsNobodyWaiting(String content, String why)
            throws IOException {
        Files.writeString(mark, content + "\n");

        assertThat(started().sentence()).isEmpty();
        assertThat(told).singleElement().asString().contains(why);
    }

    /** The loop asks Corosync, and so does every action of Pacemaker. */
    @Test
    void whateverSeveralThreadsToldAtOnceTheLastWordIsOnTheDisk() throws InterruptedException {
        BootGate gate = gate();
        gate.peerPresent(true, PEER);
        for (int round = 0; round < 50; round++) {
            List<Thread> threads =
                    Stream.of(true, false, true, false)
                            .map(present ->
                                    Thread.ofPlatform()
                                            .start(() -> gate.peerPresent(present, PEER)))
                            .toList();
            for (Thread thread : threads) {
                thread.join();
            }
            gate.peerPresent(true, Optional.of(new BootId("round-" + round)));
            assertThat(mark).as("round %d", round).doesNotExist();
        }
    }

    private BootGate started() {
        BootGate gate = gate();
        gate.start();
        return gate;
    }
}
