package dev.tandem.host.pacemaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.pacemaker.Quorum.Known;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QuorumTest {

    @Test
    void twoNodesThatSeeEachOtherAreQuorate() {
        Quorum quorum = Quorum.Text.parse(Recording.read("set-up/quorumtool.txt"));

        assertThat(quorum)
                .isInstanceOfSatisfying(
                        Known.class,
                        known -> {
                            assertThat(known.quorate()).isTrue();
                            assertThat(known.twoNode()).isTrue();
                            assertThat(known.waitsForAll()).isFalse();
                            assertThat(known.expectedVotes()).isEqualTo(2);
                            assertThat(known.members()).isEqualTo(Map.of(1, "node-0", 2, "node-1"));
                        });
    }

    /** As after somebody has edited corosync.conf and had it read again. */
    @Test
    void oneNodeKeepsQuorumWithTwoNodeAndTwoVotesOnly() {
        String well = Recording.read("set-up/quorumtool.txt");

        assertThat(keptByOne(well)).isTrue();
        assertThat(keptByOne(well.replace("2Node ", ""))).isFalse();
        assertThat(keptByOne(well.replace("Expected votes:   2", "Expected votes:   3"))).isFalse();
    }

    private static boolean keptByOne(String text) {
        return ((Known) Quorum.Text.parse(text)).keptByOneNode();
    }

    @Test
    void aNodeThatStartedAloneWaitsForAll() {
        Quorum quorum = Quorum.Text.parse(Recording.read("set-up/quorumtool-alone.txt"));

        assertThat(quorum)
                .isInstanceOfSatisfying(
                        Known.class,
                        known -> {
                            assertThat(known.quorate()).isFalse();
                            assertThat(known.waitsForAll()).isTrue();
                            assertThat(known.has("node-0")).isTrue();
                            assertThat(known.has("node-1")).isFalse();
                        });
    }

    @Test
    void aStoppedCorosyncIsUnknown() {
        RecordedCommands stopped =
                new RecordedCommands()
                        .answer("corosync-quorumtool", 1, "", "Cannot initialize CMAP service\n");

        assertThat(Quorum.read(stopped))
                .isEqualTo(new Quorum.Unknown("Cannot initialize CMAP service"));
    }
}
