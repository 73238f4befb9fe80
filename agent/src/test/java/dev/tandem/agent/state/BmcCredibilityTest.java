package dev.tandem.agent.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a BMC that reads Off is not believed, and which fence of the second level is. */
class BmcCredibilityTest {
    @TempDir private Path run;

    private long now = Duration.ofHours(1).toNanos();
    private BootTimestamps moments = new BootTimestamps(Path.of("nowhere"));
    private BmcCredibility watch = new BmcCredibility(() -> now, moments, Duration.ofSeconds(10));

    @BeforeEach
    void agentStarts() {
        moments = new BootTimestamps(run.resolve("moments"), this::uptime);
        watch = new BmcCredibility(() -> now, moments, Duration.ofSeconds(10));
    }

    private long uptime() {
        return now / 10_000_000;
    }

    private boolean read(PowerReading reading, boolean there, int secondsLater) {
        now += Duration.ofSeconds(secondsLater).toNanos();
        watch.read(reading, () -> there);
        return watch.found();
    }

    @Test
    void aNodeThatHasJustLostItsPowerIsInTheClusterForAMoment() {
        assertThat(read(PowerReading.ON, true, 0)).isFalse();
        assertThat(read(PowerReading.OFF, true, 15)).isFalse();
        assertThat(read(PowerReading.OFF, false, 5)).isFalse();
        assertThat(read(PowerReading.OFF, false, 60)).isFalse();
    }

    @Test
    void offForLongWhileTheNodeIsThereIsNotBelievedUntilOnWasRead() {
        assertThat(read(PowerReading.OFF, true, 0)).isFalse();
        assertThat(read(PowerReading.OFF, true, 5)).isFalse();
        assertThat(read(PowerReading.UNKNOWN, true, 3)).isFalse();
        assertThat(read(PowerReading.OFF, true, 2)).isTrue();

        assertThat(read(PowerReading.OFF, false, 60)).isTrue();
        assertThat(read(PowerReading.ON, true, 60)).isFalse();
    }

    @Test
    void aRestartedAgentKnowsThatTheBmcDeceives() {
        read(PowerReading.OFF, true, 0);
        read(PowerReading.OFF, true, 15);

        agentStarts();
        assertThat(watch.found()).isTrue();

        read(PowerReading.ON, true, 5);
        agentStarts();
        assertThat(watch.found()).isFalse();
    }

    @Test
    void whoWasDeceivedRemainsSoWhenTheBmcComesToItsSenses() throws IOException {
        moments.note(BootTimestamps.Event.PEER_HEARD);
        read(PowerReading.OFF, true, 0);
        read(PowerReading.OFF, true, 15);
        fencedBySecondLevel(5);
        read(PowerReading.ON, false, 10);
        assertThat(watch.found()).isFalse();
        assertThat(counts()).as("ordered while the BMC deceived").isFalse();

        agentStarts();
        assertThat(counts()).as("to a restarted agent too").isFalse();

        fencedBySecondLevel(5);
        assertThat(counts()).isTrue();
    }

    @Test
    void aFenceOfTheSecondLevelCountsOnceUntilThePeerIsHeardAgain() throws IOException {
        assertThat(counts()).as("nothing was recorded").isFalse();
        fencedBySecondLevel(1);
        assertThat(counts()).as("when the peer was last heard is not known").isFalse();

        now += Duration.ofSeconds(1).toNanos();
        moments.note(BootTimestamps.Event.PEER_HEARD);
        assertThat(counts()).as("an old fence, a living peer").isFalse();
        agentStarts();
        assertThat(counts()).as("and an agent that was restarted").isFalse();

        fencedBySecondLevel(60);
        agentStarts();
        assertThat(counts()).as("fenced while the agent was down").isTrue();
        now += Duration.ofSeconds(9).toNanos();
        moments.note(BootTimestamps.Event.PEER_HEARD);
        assertThat(counts()).as("the next boot was heard").isFalse();
    }

    @Test
    void aRecordThatIsNoMomentIsNone() throws IOException {
        moments.note(BootTimestamps.Event.PEER_HEARD);
        Files.createDirectories(run.resolve("fenced"));
        for (String text : new String[] {"", "-5", "soon", "99999999999999999999", "12 13"}) {
            Files.writeString(run.resolve("fenced").resolve("south"), text);
            assertThat(counts()).as("'%s'", text).isFalse();
        }
    }

    /** A directory stands where the note is to be written. */
    private Path obstacle(String event) throws IOException {
        return Files.createDirectories(run.resolve("moments").resolve(event + ".new"));
    }

    @Test
    void thatTheBmcDeceivedIsNotForgottenForWantOfANote() throws IOException {
        moments.note(BootTimestamps.Event.PEER_HEARD);
        read(PowerReading.OFF, true, 0);
        read(PowerReading.OFF, true, 15);
        fencedBySecondLevel(5);
        Path obstacle = obstacle("bmc-deceived");

        assertThat(read(PowerReading.ON, false, 10)).as("not believed again yet").isTrue();
        assertThat(counts()).isFalse();
        agentStarts();
        assertThat(watch.found()).as("nor by a restarted agent").isTrue();

        Files.delete(obstacle);
        assertThat(read(PowerReading.ON, false, 10)).isFalse();
        assertThat(counts()).as("ordered while it deceived").isFalse();
    }

    @Test
    void anOlderNoteOfADeceptionStaysWhenANewOneFails() throws IOException {
        moments.note(BootTimestamps.Event.PEER_HEARD);
        now += Duration.ofSeconds(1).toNanos();
        moments.note(BootTimestamps.Event.BMC_DECEIVED);
        fencedBySecondLevel(5);
        assertThat(counts()).isTrue();
        obstacle("bmc-deceived");

        assertThat(moments.note(BootTimestamps.Event.BMC_DECEIVED)).isFalse();

        assertThat(counts()).as("when it last deceived is not known").isFalse();
        assertThat(run.resolve("moments").resolve("bmc-deceived")).exists();
    }

    @Test
    void aDeceptionThatCouldNotBeNotedIsNotedLater() throws IOException {
        Path obstacle = obstacle("bmc-deceives");
        read(PowerReading.OFF, true, 0);
        assertThat(read(PowerReading.OFF, true, 15)).isTrue();

        Files.delete(obstacle);
        read(PowerReading.OFF, true, 5);
        agentStarts();

        assertThat(watch.found()).isTrue();
    }

    @Test
    void anUnreadableNoteThatTheBmcDeceivesIsBelieved() throws IOException {
        Files.createDirectories(run.resolve("moments").resolve("bmc-deceives"));

        agentStarts();

        assertThat(watch.found()).isTrue();
    }

    @Test
    void aSignOfLifeThatCannotBeNotedMakesEveryRecordWorthless() throws IOException {
        moments.note(BootTimestamps.Event.PEER_HEARD);
        fencedBySecondLevel(5);
        assertThat(counts()).isTrue();
        obstacle("peer-heard");
        now += Duration.ofSeconds(1).toNanos();

        moments.note(BootTimestamps.Event.PEER_HEARD);

        assertThat(counts()).isFalse();
        agentStarts();
        assertThat(counts()).as("to a restarted agent too").isFalse();
    }

    private void fencedBySecondLevel(int secondsLater) throws IOException {
        now += Duration.ofSeconds(secondsLater).toNanos();
        Files.createDirectories(run.resolve("fenced"));
        Files.writeString(run.resolve("fenced").resolve("south"), uptime() + "\n");
    }

    private boolean counts() {
        return new FencingLevelTwo(
                        run.resolve("fenced").resolve("south"),
                        moments,
                        () -> Optional.of(Proofs.Machine.THE_PEER))
                .fencedLastHeardBoot();
    }
}
