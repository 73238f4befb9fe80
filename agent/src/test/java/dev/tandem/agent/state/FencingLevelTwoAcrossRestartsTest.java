package dev.tandem.agent.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.decision.Proofs;
import dev.tandem.host.bmc.HardwareIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which fence of the second level counts, while peers, BMCs and agents come and go. */
class FencingLevelTwoAcrossRestartsTest {
    @TempDir private Path run;

    private long now = Duration.ofHours(1).toNanos();
    private BootTimestamps moments = new BootTimestamps(Path.of("nowhere"));

    @BeforeEach
    void agentStarts() {
        moments = new BootTimestamps(run.resolve("moments"), this::uptime);
    }

    private long uptime() {
        return now / 10_000_000;
    }

    @Test
    void anOrderDuringAFalseOffCountsNoMoreWhenTheBmcReadsOn() throws IOException {
        moments.note(BootTimestamps.Event.PEER_HEARD);
        fencedBySecondLevel(5);
        now += Duration.ofSeconds(10).toNanos();
        moments.note(BootTimestamps.Event.FALSE_OFF_ENDED);
        assertThat(counts()).as("ordered while the BMC read a false Off").isFalse();

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

    private void fencedBySecondLevel(int secondsLater) throws IOException {
        now += Duration.ofSeconds(secondsLater).toNanos();
        Files.createDirectories(run.resolve("fenced"));
        Files.writeString(
                run.resolve("fenced").resolve("south"),
                "version=2;ordered=%1$d;off=%1$d;again=%2$d\n".formatted(uptime(), uptime() + 100));
    }

    private boolean counts() {
        return new FencingLevelTwo(
                        () -> "fence_redfish", run, "south", moments, moments, new NoBmc())
                .read()
                .filter(LevelTwoRecord::isOfLastHeardBoot)
                .isPresent();
    }

    private record NoBmc() implements FencingLevelTwo.PeersBmc {
        @Override
        public Optional<BmcAddress> address() {
            return Optional.empty();
        }

        @Override
        public Optional<FencingLevelTwo.Asked> ask() {
            return Optional.empty();
        }

        @Override
        public Proofs.Machine machineOf(HardwareIdentity told) {
            return Proofs.Machine.NOT_TOLD;
        }
    }
}
