package dev.tandem.agent.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.agent.state.Memory;
import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.Server;
import dev.tandem.core.peer.Word;
import dev.tandem.core.peer.Yield;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.Seat;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Which fence lets a keeper take over, and what ends that; and what a blind keeper leaves alone.
 */
class KeeperProofsTest extends KeeperFixture {
    private static final BootId NEXT_BOOT = new BootId("boot-south-2");
    private static final Keeper.Presence THERE = new Keeper.Presence(true, true, true, false);
    private static final Keeper.Presence GONE = new Keeper.Presence(true, false, true, false);

    @Test
    void aPeerThatAnswersAfterItsFenceWasNotFenced() {
        Keeper keeper = serving(keeper());
        fenced(keeper, "fence_tandem", PowerReading.OFF);
        assertThat(keeper.memory().proofs()).hasSize(1);

        answers(keeper, PEER_BOOT);
        keeper.membership(GONE);

        assertThat(keeper.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void anAnswerToAQuestionFromBeforeTheFenceRefutesNothing() {
        Keeper keeper = serving(keeper());
        Keeper.Question asked = keeper.question();
        nanos.addAndGet(1_000_000);
        fenced(keeper, "fence_tandem", PowerReading.OFF);
        nanos.addAndGet(1_000_000);

        keeper.answered(asked, new Word.Telling(peer(), BOOT));
        keeper.membership(GONE);

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void aPeerThatCorosyncHasAgainWasNotFenced() {
        Keeper keeper = serving(keeper());
        keeper.membership(GONE);
        etcd.cannotBeKilled = true; // So that the take-over does not begin.
        fenced(keeper, "fence_tandem", PowerReading.OFF);
        assertThat(keeper.memory().proofs()).hasSize(1);

        keeper.membership(THERE);

        assertThat(keeper.memory().proofs()).isEmpty();
    }

    @Test
    void corosyncMayBeSlowToMissAPeerThatWasFenced() {
        Keeper keeper = serving(keeper());
        fenced(keeper, "fence_tandem", PowerReading.OFF);
        keeper.membership(THERE);
        keeper.membership(GONE);

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void aProofFromBeforeARestartOfTheAgentEndsWhenThePeerIsThere() {
        Keeper first = serving(keeper());
        fenced(first, "fence_tandem", PowerReading.OFF);

        Keeper second = keeper();
        second.membership(THERE);
        second.membership(GONE);

        assertThat(second.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aLateAnswerSaysNothingOfTheBootThatWasHeardMeanwhile() {
        Keeper keeper = serving(keeper());
        keeper.membership(GONE);
        Proofs.Order order = new Proofs.Order(PEER, keeper.peerBoot());
        keeper.membership(THERE);
        Word _ = keeper.asked(new Word.Telling(in(NEXT_BOOT, Server.FOLLOWING), BOOT));
        fenced(keeper, order, Proofs.Machine.THE_PEER, "fence_tandem", PowerReading.OFF);
        keeper.membership(GONE);

        assertThat(keeper.memory().proofs()).isEmpty();
        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aPeerThatWasShotBeforeItToldItsFactsIsFenced() {
        Keeper keeper = serving(keeper());
        Word _ = keeper.asked(new Word.Greeting(NEXT_BOOT));
        fenced(keeper, "fence_tandem", PowerReading.OFF);
        keeper.membership(GONE);

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void anotherMachinesPowerProvesNothing() {
        Keeper keeper = serving(keeper());
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
        Keeper keeper = serving(keeper());
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
        Keeper keeper = serving(keeper());
        etcd.server = Server.UNSEEN;
        etcd.silent = true;
        for (int i = 0; i < 100; i++) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            keeper.saw(etcd.look());
            hear(keeper, i % 2 == 0 ? Server.LEADERLESS : Server.UNSEEN);
            keeper.membership(THERE);
        }

        assertThat(etcd.told).containsExactly("start in place");
        assertThat(Health.of(keeper.facts())).isEqualTo(Health.UNSEEN);
        assertThat(keeper.sentence()).contains("cannot see its own etcd");
    }

    @Test
    void aPeerThatCannotSeeItsServerDoesNotContradictOurs() {
        Keeper keeper = serving(keeper());
        for (int i = 0; i < 100; i++) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            hear(keeper, Server.UNSEEN);
            keeper.saw(etcd.look());
        }

        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aBlindAgentTakesOverFromAPeerThatWasFencedAndOnlyOnce() {
        Keeper keeper = serving(keeper());
        etcd.server = Server.UNSEEN;
        keeper.saw(etcd.look());
        keeper.membership(GONE);
        assertThat(etcd.told).containsExactly("start in place");

        fenced(keeper, "fence_tandem", PowerReading.OFF);
        assertThat(etcd.told).containsExactly("start in place", "kill", "take over as epoch 2");
        for (int i = 0; i < 100; i++) {
            etcd.server = Server.UNSEEN;
            etcd.starting = false;
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            keeper.saw(etcd.look());
            keeper.membership(GONE);
        }
        assertThat(etcd.told).hasSize(3);

        etcd.server = Server.LEADING;
        etcd.replica = sole(etcd.replica);
        keeper.saw(etcd.look());
        assertThat(keeper.memory().claim()).isEqualTo(Claim.none());
    }

    @Test
    void aForcedStartThatHangsIsTriedAgainByARestartedAgentToo() {
        Keeper first = serving(keeper());
        first.membership(GONE);
        fenced(first, "fence_tandem", PowerReading.OFF);
        assertThat(etcd.told).endsWith("take over as epoch 2");

        Keeper second = keeper();
        second.membership(GONE);
        second.saw(etcd.look());
        assertThat(etcd.told).as("it may still come to its end").hasSize(3);
        nanos.addAndGet(Keeper.REPAIR_LIMIT.plusSeconds(1).toNanos());
        second.saw(etcd.look());

        assertThat(etcd.told).hasSize(5).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void wordsOfAPeerThatFellSilentAreNotHeldAgainstItsServer() {
        Keeper keeper = serving(keeper());
        etcd.server = Server.LEADERLESS;
        keeper.saw(etcd.look());
        hearLeaderless(keeper);
        for (int i = 0; i < 30; i++) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            keeper.membership(THERE);
            keeper.saw(etcd.look());
        }

        assertThat(keeper.memory().yield()).isEqualTo(Yield.none());
    }

    @Test
    void whatCouldNotBeWrittenIsNotKnown() throws IOException {
        Keeper keeper = serving(keeper());
        Files.delete(state.resolve("memory.json"));
        Files.createDirectories(state.resolve("memory.json").resolve("in the way"));

        assertThatThrownBy(keeper::depart).isInstanceOf(Failure.class);
        assertThat(keeper.facts().yield()).isEqualTo(Yield.none());
        assertThatThrownBy(keeper::depart).isInstanceOf(Failure.class);

        Files.delete(state.resolve("memory.json").resolve("in the way"));
        Files.delete(state.resolve("memory.json"));
        keeper.depart();
        assertThat(keeper.facts().yield()).isInstanceOf(Yield.Departure.class);
        assertThat(new Memory.Store(state.resolve("memory.json")).read(BOOT).yield())
                .isEqualTo(keeper.facts().yield());
    }

    /** A question is asked and answered now. */
    private void answers(Keeper keeper, BootId boot) {
        nanos.addAndGet(1_000_000);
        Keeper.Question asked = keeper.question();
        nanos.addAndGet(1_000_000);
        keeper.answered(asked, new Word.Telling(in(boot, Server.LEADING), BOOT));
    }

    private static NodeFacts in(BootId boot, Server server) {
        return new NodeFacts(
                PEER, boot, peer().replica(), server, Yield.none(), Claim.none(), 0, Offer.none());
    }

    private static Replica sole(Replica replica) {
        return replica instanceof Replica.Log log
                ? new Replica.Log(
                        log.lineage(),
                        log.term(),
                        log.lastIndex(),
                        log.lastIndex(),
                        Seat.SOLE,
                        true,
                        log.memberId())
                : replica;
    }
}
