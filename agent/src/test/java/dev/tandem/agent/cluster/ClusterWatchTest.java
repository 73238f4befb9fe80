package dev.tandem.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.state.FencingLevelTwo;
import dev.tandem.agent.state.LastFence;
import dev.tandem.agent.state.PeerIdentityFile;
import dev.tandem.agent.supervise.SupervisedNode;
import dev.tandem.core.testing.Sketch;
import dev.tandem.host.Commands;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.NodeIdentities;
import dev.tandem.host.bmc.SignedIdentities;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.SiteTrust;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The loop looks, and so does every action of Pacemaker: each on its thread. */
@Timeout(60)
class ClusterWatchTest {
    private static final String PEER_IS_THERE = ClusterTest.membership(true);
    private static final String PEER_IS_AWAY = ClusterTest.membership(false);

    @TempDir private Path state;

    /** What Corosync answers to each question, in the order in which they are put. */
    private final Deque<String> answers = new ArrayDeque<>();

    /** Happens between the next question and its answer. */
    private Runnable meanwhile = () -> {};

    private final LastFence lastFence = new LastFence(System::nanoTime);
    private SupervisedNode node;
    private ClusterWatch watch;

    @BeforeEach
    void begin() {
        node = new SupervisedNode(state, "two 1:7");
        watch = watch();
    }

    @AfterEach
    void end() {
        node.close();
    }

    @Test
    void aPeerThatIsThereIsNotTakenForAwayByAnAnswerThatWasOvertaken() {
        answers.add(PEER_IS_THERE);
        watch.look();
        answers.add(PEER_IS_AWAY.replace("2Node", ""));
        answers.add(PEER_IS_THERE);
        meanwhile = watch::look;

        watch.look();

        assertThat(answers).isEmpty();
        assertThat(watch.peerPresent()).isTrue();
        assertThat(watch.quorumKeptByOne()).isTrue();
        assertThat(state.resolve("unheard")).as("a note that it was lost").doesNotExist();
    }

    @Test
    void aPeerThatIsAwayIsNotTakenForThereByAnAnswerThatWasOvertaken() {
        answers.add(PEER_IS_THERE);
        watch.look();
        answers.add(PEER_IS_THERE);
        answers.add(PEER_IS_AWAY);
        meanwhile =
                () -> {
                    watch.look();
                    lastFence.failed("its BMC does not answer", Optional.empty());
                };

        watch.look();

        assertThat(answers).isEmpty();
        assertThat(watch.peerPresent()).isFalse();
        assertThat(lastFence.failed()).as("a fence that failed since").isPresent();
    }

    /** Corosync was stuck, and is not any more. */
    @Test
    void anAnswerThatDidNotComeInTimeUndoesNothing() {
        answers.add("");
        answers.add(PEER_IS_THERE);
        meanwhile = watch::look;

        watch.look();

        assertThat(answers).isEmpty();
        assertThat(watch.peerPresent()).isTrue();
    }

    private ClusterWatch watch() {
        Commands commands =
                (_, command, _) -> {
                    if (!command.getFirst().equals("corosync-quorumtool")) {
                        return new Commands.Output(1, "", "Pacemaker is not up yet");
                    }
                    String answer = answers.remove();
                    Runnable now = meanwhile;
                    meanwhile = () -> {};
                    now.run();
                    return new Commands.Output(answer.isEmpty() ? 1 : 0, answer, "");
                };
        BootTimestamps moments = new BootTimestamps(state.resolve("moments"));
        NodeAttributes attributes = new NodeAttributes(commands);
        CertificateAuthority authority =
                CertificateAuthority.create("test", Duration.ofDays(1), InstantSource.system());
        return new ClusterWatch(
                Sketch.NORTH,
                Sketch.SOUTH,
                Sketch.NORTH_BOOT,
                new HardwareIdentity(Optional.empty(), Optional.of("N1"), Set.of()),
                new Cluster(commands, Sketch.SOUTH, moments),
                new NodeIdentities(attributes),
                new SignedIdentities(
                        attributes,
                        authority.identity(),
                        new SiteTrust(List.of(authority.certificate()), _ -> Optional.empty())),
                new PeerIdentityFile(state.resolve("peer")),
                new BootGate(
                        state.resolve("unheard"),
                        Sketch.NORTH_BOOT,
                        List::of,
                        node.journal,
                        System::nanoTime),
                node.supervisor,
                levelTwo(moments),
                levelTwo(moments),
                List.of(),
                lastFence,
                InstantSource.system());
    }

    private FencingLevelTwo levelTwo(BootTimestamps moments) {
        return new FencingLevelTwo(
                () -> "fence_pdu",
                state,
                Sketch.SOUTH.value(),
                moments,
                moments,
                new FencingLevelTwo.OfThePlan(Optional::empty));
    }
}
