package dev.tandem.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.core.NodeName;
import dev.tandem.core.supervise.Membership;
import dev.tandem.host.Commands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ClusterTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir Path run;

    private final Deque<Boolean> answers = new ArrayDeque<>();
    private final List<Cluster.Reading> told = new ArrayList<>();

    @Test
    void waitsUntilCorosyncHasMissedThePeer() {
        answers.addAll(List.of(true, true, false, true));

        cluster().awaitMissed(LONG, told::add);

        assertThat(told)
                .extracting(reading -> reading.membership().peerPresent())
                .containsExactly(true, true, false);
    }

    @Test
    void doesNotWaitForCorosyncThatDoesNotAnswer() {
        cluster().awaitMissed(LONG, told::add);

        assertThat(told).singleElement().matches(reading -> !reading.membership().known());
    }

    @Test
    void waitsNoLongerThanItMay() {
        answers.addAll(List.of(true, true, true));

        cluster().awaitMissed(Duration.ZERO, told::add);

        assertThat(told).hasSize(1);
    }

    @Test
    void anAnswerIsTakenInUnlessOneToALaterQuestionWas() {
        answers.addAll(List.of(true, false, true));
        Cluster cluster = cluster();
        Cluster.Reading first = cluster.presence();
        Cluster.Reading second = cluster.presence();
        Cluster.Reading third = cluster.presence();

        assertThat(cluster.unlessOvertaken(second)).isEqualTo(second.membership());
        assertThat(cluster.unlessOvertaken(first)).isEqualTo(Membership.UNKNOWN);
        assertThat(cluster.unlessOvertaken(second)).as("again").isEqualTo(second.membership());
        assertThat(cluster.unlessOvertaken(third)).isEqualTo(third.membership());
        assertThat(cluster.unlessOvertaken(second)).isEqualTo(Membership.UNKNOWN);
    }

    /** Otherwise a Corosync that is silent for a moment would undo what it said before. */
    @Test
    void anAnswerThatDidNotComeOvertakesNone() {
        answers.add(true);
        Cluster cluster = cluster();
        Cluster.Reading answered = cluster.presence();

        assertThat(cluster.unlessOvertaken(cluster.presence())).isEqualTo(Membership.UNKNOWN);
        assertThat(cluster.unlessOvertaken(answered)).isEqualTo(answered.membership());
    }

    private Cluster cluster() {
        Commands corosync =
                (_, command, _) -> {
                    assertThat(command.getFirst()).isEqualTo("corosync-quorumtool");
                    return answers.isEmpty()
                            ? new Commands.Output(1, "", "Cannot initialize CPG service")
                            : new Commands.Output(0, membership(answers.remove()), "");
                };
        return new Cluster(corosync, new NodeName("south"), new BootTimestamps(run));
    }

    static String membership(boolean peer) {
        return """
        Ring ID:          1.2f
        Quorate:          Yes
        Expected votes:   2
        Flags:            2Node Quorate WaitForAll
            Nodeid      Votes    Qdevice Name
                 1          1         NR north (local)
        %s
        """
                .formatted(peer ? "         2          1         NR south" : "");
    }
}
