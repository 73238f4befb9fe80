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
 * Which fence lets a keeper take over, and what ends that; and what a blind keeper leaves alone.
 */
class EtcdSupervisorProofsTest extends EtcdSupervisorFixture {
    private static final BootId NEXT_BOOT = new BootId("boot-south-2");
    private static final EtcdSupervisor.Presence THERE =
            new EtcdSupervisor.Presence(true, true, true, false);
    private static final EtcdSupervisor.Presence GONE =
            new EtcdSupervisor.Presence(true, false, true, false);

    @Test
    void aPeerThatAnswersAfterItsFenceWasNotFenced() {
        EtcdSupervisor keeper = serving(keeper());
        fenced(keeper, "fence_tandem", PowerReading.OFF);
        assertThat(keeper.memory().proofs()).hasSize(1);

        answers(keeper, PEER_BOOT);
        keeper.membership(GONE);

        assertThat(keeper.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void anAnswerToAQuestionFromBeforeTheFenceRefutesNothing() {
        EtcdSupervisor keeper = serving(keeper());
        EtcdSupervisor.Question asked = keeper.question();
        nanos.addAndGet(1_000_000);
        fenced(keeper, "fence_tandem", PowerReading.OFF);
        nanos.addAndGet(1_000_000);

        keeper.answered(asked, new PeerMessage.Facts(peer(), BOOT));
        keeper.membership(GONE);

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void aPeerThatCorosyncHasAgainWasNotFenced() {
        EtcdSupervisor keeper = serving(keeper());
        keeper.membership(GONE);
        etcd.cannotBeKilled = true; // So that the take-over does not begin.
        fenced(keeper, "fence_tandem", PowerReading.OFF);
        assertThat(keeper.memory().proofs()).hasSize(1);

        keeper.membership(THERE);

        assertThat(keeper.memory().proofs()).isEmpty();
    }

    @Test
    void corosyncMayBeSlowToMissAPeerThatWasFenced() {
        EtcdSupervisor keeper = serving(keeper());
        fenced(keeper, "fence_tandem", PowerReading.OFF);
        keeper.membership(THERE);
        keeper.membership(GONE);

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void aProofFromBeforeARestartOfTheAgentEndsWhenThePeerIsThere() {
        EtcdSupervisor first = serving(keeper());
        fenced(first, "fence_tandem", PowerReading.OFF);

        EtcdSupervisor second = keeper();
        second.membership(THERE);
        second.membership(GONE);

        assertThat(second.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aLateAnswerSaysNothingOfTheBootThatWasHeardMeanwhile() {
        EtcdSupervisor keeper = serving(keeper());
        keeper.membership(GONE);
        Proofs.Order order = new Proofs.Order(PEER, keeper.peerBoot());
        keeper.membership(THERE);
        PeerMessage _ =
                keeper.asked(new PeerMessage.Facts(in(NEXT_BOOT, EtcdState.FOLLOWING), BOOT));
        fenced(keeper, order, Proofs.Machine.THE_PEER, "fence_tandem", PowerReading.OFF);
        keeper.membership(GONE);

        assertThat(keeper.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aPeerThatWasShotBeforeItToldItsFactsIsFenced() {
        EtcdSupervisor keeper = serving(keeper());
        PeerMessage _ = keeper.asked(new PeerMessage.Hello(NEXT_BOOT));
        fenced(keeper, "fence_tandem", PowerReading.OFF);
        keeper.membership(GONE);

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void anotherMachinesPowerProvesNothing() {
        EtcdSupervisor keeper = serving(keeper());
        keeper.membership(GONE);
        fenced(
                keeper,
                new Proofs.Order(PEER, keeper.peerBoot()),
                Proofs.Machine.ANOTHER,
                "fence_tandem",
                PowerReading.OFF);

        assertThat(keeper.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aStatementEndsWithItsIncident() {
        EtcdSupervisor keeper = serving(keeper());
        keeper.membership(GONE);
        etcd.cannotBeKilled = true; // So that the take-over does not begin.
        keeper.stated(PeerProof.Statement.PEER_IS_OFF, PowerReading.UNKNOWN, "somebody");
        keeper.membership(THERE);
        keeper.membership(GONE);
        etcd.cannotBeKilled = false;
        keeper.reconsider();

        assertThat(keeper.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void anAgentThatCannotSeeItsServerLeavesItAlone() {
        EtcdSupervisor keeper = serving(keeper());
        etcd.server = EtcdState.UNSEEN;
        etcd.silent = true;
        for (int i = 0; i < 100; i++) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            keeper.saw(etcd.look());
            hear(keeper, i % 2 == 0 ? EtcdState.LEADERLESS : EtcdState.UNSEEN);
            keeper.membership(THERE);
        }

        assertThat(etcd.told).containsExactly("start in place");
        assertThat(Health.of(keeper.facts())).isEqualTo(Health.UNSEEN);
        assertThat(keeper.sentence()).contains("cannot see its own etcd");
    }

    @Test
    void aPeerThatCannotSeeItsServerDoesNotContradictOurs() {
        EtcdSupervisor keeper = serving(keeper());
        for (int i = 0; i < 100; i++) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            hear(keeper, EtcdState.UNSEEN);
            keeper.saw(etcd.look());
        }

        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aBlindAgentTakesOverFromAPeerThatWasFencedAndOnlyOnce() {
        EtcdSupervisor keeper = serving(keeper());
        etcd.server = EtcdState.UNSEEN;
        keeper.saw(etcd.look());
        keeper.membership(GONE);
        assertThat(etcd.told).containsExactly("start in place");

        fenced(keeper, "fence_tandem", PowerReading.OFF);
        assertThat(etcd.told).containsExactly("start in place", "kill", "take over as epoch 2");
        for (int i = 0; i < 100; i++) {
            etcd.server = EtcdState.UNSEEN;
            etcd.starting = false;
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            keeper.saw(etcd.look());
            keeper.membership(GONE);
        }
        assertThat(etcd.told).hasSize(3);

        etcd.server = EtcdState.LEADING;
        etcd.replica = sole(etcd.replica);
        keeper.saw(etcd.look());
        assertThat(keeper.memory().claim()).isEqualTo(Claim.none());
    }

    @Test
    void aForcedStartThatHangsIsTriedAgainByARestartedAgentToo() {
        EtcdSupervisor first = serving(keeper());
        first.membership(GONE);
        fenced(first, "fence_tandem", PowerReading.OFF);
        assertThat(etcd.told).endsWith("take over as epoch 2");

        EtcdSupervisor second = keeper();
        second.membership(GONE);
        second.saw(etcd.look());
        assertThat(etcd.told).as("it may still come to its end").hasSize(3);
        nanos.addAndGet(EtcdSupervisor.REPAIR_LIMIT.plusSeconds(1).toNanos());
        second.saw(etcd.look());

        assertThat(etcd.told).hasSize(5).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void wordsOfAPeerThatFellSilentAreNotHeldAgainstItsServer() {
        EtcdSupervisor keeper = serving(keeper());
        etcd.server = EtcdState.LEADERLESS;
        keeper.saw(etcd.look());
        hearLeaderless(keeper);
        for (int i = 0; i < 30; i++) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            keeper.membership(THERE);
            keeper.saw(etcd.look());
        }

        assertThat(keeper.memory().abdication()).isEqualTo(Abdication.none());
    }

    @Test
    void whatCouldNotBeWrittenIsNotKnown() throws IOException {
        EtcdSupervisor keeper = serving(keeper());
        Files.delete(state.resolve("memory.json"));
        Files.createDirectories(state.resolve("memory.json").resolve("in the way"));

        assertThatThrownBy(keeper::depart).isInstanceOf(Failure.class);
        assertThat(keeper.facts().abdication()).isEqualTo(Abdication.none());
        assertThatThrownBy(keeper::depart).isInstanceOf(Failure.class);

        Files.delete(state.resolve("memory.json").resolve("in the way"));
        Files.delete(state.resolve("memory.json"));
        keeper.depart();
        assertThat(keeper.facts().abdication()).isInstanceOf(Abdication.Departure.class);
        assertThat(new DurableState.Store(state.resolve("memory.json")).read(BOOT).abdication())
                .isEqualTo(keeper.facts().abdication());
    }

    /** A question is asked and answered now. */
    private void answers(EtcdSupervisor keeper, BootId boot) {
        nanos.addAndGet(1_000_000);
        EtcdSupervisor.Question asked = keeper.question();
        nanos.addAndGet(1_000_000);
        keeper.answered(asked, new PeerMessage.Facts(in(boot, EtcdState.LEADING), BOOT));
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
