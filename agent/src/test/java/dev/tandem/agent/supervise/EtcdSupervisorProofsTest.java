package dev.tandem.agent.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.agent.state.DurableState;
import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
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

    @Test
    void aPeerThatAnswersAfterItsFenceWasNotFenced() {
        EtcdSupervisor supervisor = serving(supervisor());
        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        assertThat(supervisor.memory().proofs()).hasSize(1);

        answers(supervisor, PEER_BOOT);
        supervisor.membership(gone());

        assertThat(supervisor.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    /** Several threads ask Corosync; a slow one may come with an answer from before the fence. */
    @Test
    void anAnswerOfCorosyncFromBeforeTheFenceRefutesNothing() {
        EtcdSupervisor supervisor = serving(supervisor());
        EtcdSupervisor.Presence delayed = there();
        supervisor.membership(gone());
        fenced(supervisor, "fence_tandem", PowerReading.OFF);

        supervisor.membership(delayed);

        assertThat(supervisor.memory().proofs()).hasSize(1);
        assertThat(supervisor.presence().peerPresent()).isFalse();
        assertThat(etcd.told).contains("take over as epoch 2");
    }

    @Test
    void aPeerThatStaysInTheMembershipWasNotFenced() {
        EtcdSupervisor supervisor = serving(supervisor());
        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        nanos.addAndGet(MISSED_WITHIN.toNanos() / 2);
        supervisor.membership(there());
        assertThat(supervisor.memory().proofs()).as("not missed yet").hasSize(1);

        nanos.addAndGet(MISSED_WITHIN.toNanos());
        supervisor.membership(there());
        assertThat(supervisor.memory().proofs()).isEmpty();

        supervisor.membership(gone());
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void anAnswerToAQuestionFromBeforeTheFenceRefutesNothing() {
        EtcdSupervisor supervisor = serving(supervisor());
        EtcdSupervisor.Question asked = supervisor.question();
        nanos.addAndGet(1_000_000);
        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        nanos.addAndGet(1_000_000);

        supervisor.answered(asked, new PeerMessage.Facts(peer(), BOOT));
        supervisor.membership(gone());

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void aPeerThatCorosyncHasAgainWasNotFenced() {
        EtcdSupervisor supervisor = serving(supervisor());
        supervisor.membership(gone());
        etcd.cannotBeKilled = true; // So that the take-over does not begin.
        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        assertThat(supervisor.memory().proofs()).hasSize(1);

        supervisor.membership(there());

        assertThat(supervisor.memory().proofs()).isEmpty();
    }

    @Test
    void corosyncMayBeSlowToMissAPeerThatWasFenced() {
        EtcdSupervisor supervisor = serving(supervisor());
        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        supervisor.membership(there());
        supervisor.membership(gone());

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void aProofFromBeforeARestartOfTheAgentEndsWhenThePeerIsThere() {
        EtcdSupervisor first = serving(supervisor());
        fenced(first, "fence_tandem", PowerReading.OFF);

        EtcdSupervisor second = supervisor();
        second.membership(there());
        second.membership(gone());

        assertThat(second.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aLateAnswerSaysNothingOfTheBootThatWasHeardMeanwhile() {
        EtcdSupervisor supervisor = serving(supervisor());
        supervisor.membership(gone());
        Proofs.Order order = new Proofs.Order(PEER, supervisor.peerBoot());
        supervisor.membership(there());
        PeerMessage _ =
                supervisor.asked(new PeerMessage.Facts(in(NEXT_BOOT, EtcdState.FOLLOWING), BOOT));
        fenced(supervisor, order, Proofs.Machine.THE_PEER, "fence_tandem", PowerReading.OFF);
        supervisor.membership(gone());

        assertThat(supervisor.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aPeerThatWasShotBeforeItToldItsFactsIsFenced() {
        EtcdSupervisor supervisor = serving(supervisor());
        PeerMessage _ = supervisor.asked(new PeerMessage.Hello(NEXT_BOOT));
        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        supervisor.membership(gone());

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void anotherMachinesPowerProvesNothing() {
        EtcdSupervisor supervisor = serving(supervisor());
        supervisor.membership(gone());
        fenced(
                supervisor,
                new Proofs.Order(PEER, supervisor.peerBoot()),
                Proofs.Machine.ANOTHER,
                "fence_tandem",
                PowerReading.OFF);

        assertThat(supervisor.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aStatementEndsWithItsIncident() {
        EtcdSupervisor supervisor = serving(supervisor());
        supervisor.membership(gone());
        etcd.cannotBeKilled = true; // So that the take-over does not begin.
        supervisor.stated(PeerProof.Statement.PEER_IS_OFF, PowerReading.UNKNOWN, "somebody");
        supervisor.membership(there());
        supervisor.membership(gone());
        etcd.cannotBeKilled = false;
        supervisor.reconsider();

        assertThat(supervisor.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void anAgentThatCannotSeeItsServerLeavesItAlone() {
        EtcdSupervisor supervisor = serving(supervisor());
        etcd.server = EtcdState.UNSEEN;
        etcd.silent = true;
        for (int i = 0; i < 100; i++) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            supervisor.saw(etcd.look());
            hear(supervisor, i % 2 == 0 ? EtcdState.LEADERLESS : EtcdState.UNSEEN);
            supervisor.membership(there());
        }

        assertThat(etcd.told).containsExactly("start in place");
        assertThat(Health.of(supervisor.facts())).isEqualTo(Health.UNSEEN);
        assertThat(supervisor.sentence()).contains("cannot see its own etcd");
    }

    @Test
    void aPeerThatCannotSeeItsServerDoesNotContradictOurs() {
        EtcdSupervisor supervisor = serving(supervisor());
        for (int i = 0; i < 100; i++) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            hear(supervisor, EtcdState.UNSEEN);
            supervisor.saw(etcd.look());
        }

        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aBlindAgentTakesOverFromAPeerThatWasFencedAndOnlyOnce() {
        EtcdSupervisor supervisor = serving(supervisor());
        etcd.server = EtcdState.UNSEEN;
        supervisor.saw(etcd.look());
        supervisor.membership(gone());
        assertThat(etcd.told).containsExactly("start in place");

        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        assertThat(etcd.told).containsExactly("start in place", "kill", "take over as epoch 2");
        for (int i = 0; i < 100; i++) {
            etcd.server = EtcdState.UNSEEN;
            etcd.starting = false;
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            supervisor.saw(etcd.look());
            supervisor.membership(gone());
        }
        assertThat(etcd.told).hasSize(3);

        etcd.server = EtcdState.LEADING;
        etcd.replica = sole(etcd.replica);
        supervisor.saw(etcd.look());
        assertThat(supervisor.memory().claim()).isEqualTo(Claim.none());
    }

    @Test
    void aForcedStartThatHangsIsTriedAgainByARestartedAgentToo() {
        EtcdSupervisor first = serving(supervisor());
        first.membership(gone());
        fenced(first, "fence_tandem", PowerReading.OFF);
        assertThat(etcd.told).endsWith("take over as epoch 2");

        EtcdSupervisor second = supervisor();
        second.membership(gone());
        second.saw(etcd.look());
        assertThat(etcd.told).as("it may still come to its end").hasSize(3);
        nanos.addAndGet(EtcdSupervisor.REPAIR_LIMIT.plusSeconds(1).toNanos());
        second.saw(etcd.look());

        assertThat(etcd.told).hasSize(5).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void wordsOfAPeerThatFellSilentAreNotHeldAgainstItsServer() {
        EtcdSupervisor supervisor = serving(supervisor());
        etcd.server = EtcdState.LEADERLESS;
        supervisor.saw(etcd.look());
        hearLeaderless(supervisor);
        for (int i = 0; i < 30; i++) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            supervisor.membership(there());
            supervisor.saw(etcd.look());
        }

        assertThat(supervisor.memory().abdication()).isEqualTo(Abdication.none());
    }

    @Test
    void whatCouldNotBeWrittenIsNotKnown() throws IOException {
        EtcdSupervisor supervisor = serving(supervisor());
        Files.delete(state.resolve("memory.json"));
        Files.createDirectories(state.resolve("memory.json").resolve("in the way"));

        assertThatThrownBy(supervisor::depart).isInstanceOf(Failure.class);
        assertThat(supervisor.facts().abdication()).isEqualTo(Abdication.none());
        assertThatThrownBy(supervisor::depart).isInstanceOf(Failure.class);

        Files.delete(state.resolve("memory.json").resolve("in the way"));
        Files.delete(state.resolve("memory.json"));
        supervisor.depart();
        assertThat(supervisor.facts().abdication()).isInstanceOf(Abdication.Departure.class);
        assertThat(new DurableState.Store(state.resolve("memory.json")).read(BOOT).abdication())
                .isEqualTo(supervisor.facts().abdication());
    }

    /** A question is asked and answered now. */
    private void answers(EtcdSupervisor supervisor, BootId boot) {
        nanos.addAndGet(1_000_000);
        EtcdSupervisor.Question asked = supervisor.question();
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
