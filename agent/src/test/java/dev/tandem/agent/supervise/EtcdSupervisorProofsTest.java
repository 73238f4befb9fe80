package dev.tandem.agent.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.state.DurableStore;
import dev.tandem.core.BootId;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.SupervisorPolicy;
import dev.tandem.core.supervise.SupervisorView;
import dev.tandem.core.supervise.VolatileState;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Which fence lets a supervisor take over, and what ends that; and what a blind supervisor leaves
 * alone.
 */
class EtcdSupervisorProofsTest extends EtcdSupervisorFixture {
    private static final BootId NEXT_BOOT = new BootId("boot-south-2");
    private static final Membership THERE = new Membership(true, true, true, false);
    private static final Membership GONE = new Membership(true, false, true, false);

    @Test
    void aPeerThatAnswersAfterItsFenceWasNotFenced() {
        SupervisorOnPaper supervisor = serving(supervisor());
        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        assertThat(supervisor.memory().proofs()).hasSize(1);

        answers(supervisor, PEER_BOOT);
        supervisor.membership(GONE);

        assertThat(supervisor.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void anAnswerToAQuestionFromBeforeTheFenceRefutesNothing() {
        SupervisorOnPaper supervisor = serving(supervisor());
        VolatileState.Question asked = supervisor.question();
        nanos.addAndGet(1_000_000);
        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        nanos.addAndGet(1_000_000);

        supervisor.answered(asked, new PeerMessage.Facts(peer(), BOOT));
        supervisor.membership(GONE);

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void aPeerThatCorosyncHasAgainWasNotFenced() {
        SupervisorOnPaper supervisor = serving(supervisor());
        supervisor.membership(GONE);
        etcd.cannotBeKilled = true; // So that the take-over does not begin.
        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        assertThat(supervisor.memory().proofs()).hasSize(1);

        supervisor.membership(THERE);

        assertThat(supervisor.memory().proofs()).isEmpty();
    }

    @Test
    void corosyncMayBeSlowToMissAPeerThatWasFenced() {
        SupervisorOnPaper supervisor = serving(supervisor());
        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        supervisor.membership(THERE);
        supervisor.membership(GONE);

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void aProofFromBeforeARestartOfTheAgentEndsWhenThePeerIsThere() {
        SupervisorOnPaper first = serving(supervisor());
        fenced(first, "fence_tandem", PowerReading.OFF);

        SupervisorOnPaper second = supervisor();
        second.membership(THERE);
        second.membership(GONE);

        assertThat(second.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    /** As where an agent cannot read its state, and a person moves the file away as it says. */
    @Test
    void aPeerThatFailsAfterTheStateWasLostIsTakenOverFrom() throws IOException {
        SupervisorOnPaper first = serving(supervisor());
        assertThat(first.memory().wanted()).isTrue();
        Files.delete(state.resolve("memory.json"));

        SupervisorOnPaper second = supervisor();
        second.membership(THERE);
        answers(second, PEER_BOOT);
        answers(second, PEER_BOOT);
        second.membership(GONE);
        fenced(second, "fence_tandem", PowerReading.OFF);

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void aLateAnswerSaysNothingOfTheBootThatWasHeardMeanwhile() {
        SupervisorOnPaper supervisor = serving(supervisor());
        supervisor.membership(GONE);
        Proofs.Order order = supervisor.order();
        supervisor.membership(THERE);
        PeerMessage _ =
                supervisor.asked(new PeerMessage.Facts(in(NEXT_BOOT, EtcdState.FOLLOWING), BOOT));
        fenced(supervisor, order, Proofs.Machine.THE_PEER, "fence_tandem", PowerReading.OFF);
        supervisor.membership(GONE);

        assertThat(supervisor.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aPeerThatWasShotBeforeItToldItsFactsIsFenced() {
        SupervisorOnPaper supervisor = serving(supervisor());
        PeerMessage _ = supervisor.asked(new PeerMessage.Hello(NEXT_BOOT));
        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        supervisor.membership(GONE);

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void anotherMachinesPowerProvesNothing() {
        SupervisorOnPaper supervisor = serving(supervisor());
        supervisor.membership(GONE);
        fenced(
                supervisor,
                supervisor.order(),
                Proofs.Machine.ANOTHER,
                "fence_tandem",
                PowerReading.OFF);

        assertThat(supervisor.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aStatementEndsWithItsIncident() {
        SupervisorOnPaper supervisor = serving(supervisor());
        supervisor.membership(GONE);
        etcd.cannotBeKilled = true; // So that the take-over does not begin.
        supervisor.stated(PeerProof.Statement.PEER_IS_OFF, PowerReading.UNKNOWN, "somebody");
        supervisor.membership(THERE);
        supervisor.membership(GONE);
        etcd.cannotBeKilled = false;

        assertThat(supervisor.memory().proofs()).isEmpty();
        assertThat(etcd.told).noneMatch(what -> what.startsWith("take over"));
    }

    @Test
    void anAgentThatCannotSeeItsServerLeavesItAlone() {
        SupervisorOnPaper supervisor = serving(supervisor());
        etcd.server = EtcdState.UNSEEN;
        etcd.silent = true;
        for (int i = 0; i < 100; i++) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            supervisor.saw(etcd.look());
            hear(supervisor, i % 2 == 0 ? EtcdState.LEADERLESS : EtcdState.UNSEEN);
            supervisor.membership(THERE);
        }

        assertThat(etcd.told).containsExactly("start in place");
        assertThat(Health.of(supervisor.facts())).isEqualTo(Health.UNSEEN);
        assertThat(supervisor.sentence()).contains("cannot query its own etcd");
    }

    @Test
    void aPeerThatCannotSeeItsServerDoesNotContradictOurs() {
        SupervisorOnPaper supervisor = serving(supervisor());
        for (int i = 0; i < 100; i++) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            hear(supervisor, EtcdState.UNSEEN);
            supervisor.saw(etcd.look());
        }

        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aBlindAgentTakesOverFromAPeerThatWasFencedAndOnlyOnce() {
        SupervisorOnPaper supervisor = serving(supervisor());
        etcd.server = EtcdState.UNSEEN;
        supervisor.saw(etcd.look());
        supervisor.membership(GONE);
        assertThat(etcd.told).containsExactly("start in place");

        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        assertThat(etcd.told).containsExactly("start in place", "kill", "take over as epoch 2");
        for (int i = 0; i < 100; i++) {
            etcd.server = EtcdState.UNSEEN;
            etcd.starting = false;
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            supervisor.saw(etcd.look());
            supervisor.membership(GONE);
        }
        assertThat(etcd.told).hasSize(3);

        etcd.server = EtcdState.LEADING;
        etcd.replica = sole(etcd.replica);
        supervisor.saw(etcd.look());
        assertThat(supervisor.memory().claim()).isEqualTo(Claim.none());
    }

    @Test
    void aForcedStartThatHangsIsTriedAgainByARestartedAgentToo() {
        SupervisorOnPaper first = serving(supervisor());
        first.membership(GONE);
        fenced(first, "fence_tandem", PowerReading.OFF);
        assertThat(etcd.told).endsWith("take over as epoch 2");

        SupervisorOnPaper second = supervisor();
        second.membership(GONE);
        second.saw(etcd.look());
        assertThat(etcd.told).as("it may still come to its end").hasSize(3);
        nanos.addAndGet(SupervisorPolicy.PAIR.repair().plusSeconds(1).toNanos());
        second.saw(etcd.look());

        assertThat(etcd.told).hasSize(5).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void wordsOfAPeerThatFellSilentAreNotHeldAgainstItsServer() {
        SupervisorOnPaper supervisor = serving(supervisor());
        etcd.server = EtcdState.LEADERLESS;
        supervisor.saw(etcd.look());
        hearLeaderless(supervisor);
        for (int i = 0; i < 30; i++) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            supervisor.membership(THERE);
            supervisor.saw(etcd.look());
        }

        assertThat(supervisor.memory().abdication()).isEqualTo(Abdication.none());
    }

    @Test
    void whatCouldNotBeWrittenIsNotKnown() throws IOException {
        SupervisorOnPaper supervisor = serving(supervisor());
        Files.delete(state.resolve("memory.json"));
        Files.createDirectories(state.resolve("memory.json").resolve("in the way"));

        supervisor.stopRequested();
        assertThat(supervisor.facts().abdication()).isEqualTo(Abdication.none());
        assertThat(supervisor.view().stopProgress())
                .isInstanceOf(SupervisorView.StopProgress.UnderWay.class);
        assertThat(supervisor.view().cannotStore()).isPresent();
        assertThat(etcd.told).as("what Pacemaker was not told").containsExactly("start in place");

        Files.delete(state.resolve("memory.json").resolve("in the way"));
        Files.delete(state.resolve("memory.json"));
        nanos.addAndGet(Duration.ofSeconds(8).toNanos());
        supervisor.tick();
        assertThat(supervisor.view().cannotStore()).isEmpty();
        assertThat(supervisor.facts().abdication()).isInstanceOf(Abdication.Departure.class);
        assertThat(new DurableStore(state.resolve("memory.json")).read(BOOT).abdication())
                .isEqualTo(supervisor.facts().abdication());
    }

    /** A question is asked and answered now. */
    private void answers(SupervisorOnPaper supervisor, BootId boot) {
        nanos.addAndGet(1_000_000);
        VolatileState.Question asked = supervisor.question();
        nanos.addAndGet(1_000_000);
        supervisor.answered(asked, new PeerMessage.Facts(in(boot, EtcdState.LEADING), BOOT));
    }

    private static NodeFacts in(BootId boot, EtcdState server) {
        return new NodeFacts(
                PEER,
                boot,
                peer().replica(),
                server,
                Abdication.none(),
                Claim.none(),
                0,
                Offer.none());
    }

    private static Replica sole(Replica replica) {
        return replica instanceof Replica.Intact log
                ? new Replica.Intact(
                        log.lineage(),
                        log.term(),
                        log.lastIndex(),
                        log.lastIndex(),
                        MemberRole.SOLE,
                        true,
                        log.memberId())
                : replica;
    }
}
