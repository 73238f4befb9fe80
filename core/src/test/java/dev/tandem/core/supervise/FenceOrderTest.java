package dev.tandem.core.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.testing.Sketch;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** When a node that waits for a fence orders it itself, and when not. */
class FenceOrderTest {
    private static final Membership NOT_QUORATE = new Membership(true, false, false, false);
    private static final Membership WAITS = new Membership(true, false, true, true);

    private final Bench bench = new Bench("two 1:7");

    /** The peer has left without a word, and Pacemaker takes that for a leave in order. */
    private Bench deserted() {
        bench.serves().pacemakerMayFence().peerIs(Bench.GONE).etcdIs(EtcdState.LEADERLESS);
        return bench;
    }

    /** So much time, in which Corosync is asked now and then. */
    private Bench pass(Duration time) {
        return pass(time, Bench.GONE);
    }

    private Bench pass(Duration time, Membership membership) {
        for (long left = time.toSeconds(); left > 0; left -= 5) {
            bench.pass(Duration.ofSeconds(Math.min(5, left))).peerIs(membership);
        }
        return bench;
    }

    private Duration patience() {
        return bench.policy.fenceOrder();
    }

    @Test
    void aPeerThatNobodyFencesIsFencedByOrderOfTheNodeThatWaits() {
        deserted();
        pass(patience().minusSeconds(1));
        assertThat(bench.fenceOrders).as("Pacemaker has its time").isEmpty();
        assertThat(bench.view().sentence()).doesNotContain("ordered");

        pass(Duration.ofSeconds(1));

        assertThat(bench.fenceOrders)
                .extracting(Action.OrderFence::how)
                .containsExactly(Action.FenceKind.REBOOT);
        assertThat(bench.notices(Notice.FenceRequested.class))
                .containsExactly(new Notice.FenceRequested(Sketch.SOUTH));
        assertThat(bench.view().sentence()).endsWith("; north has ordered its fence");

        bench.fenced().fenceOrderEnds(true);
        assertThat(bench.told).endsWith("take over as 2");
        pass(Duration.ofMinutes(10));
        assertThat(bench.fenceOrders).as("it is proven off").hasSize(1);
    }

    /** Whoever switched it off may want it off. */
    @Test
    void aPeerThatReadsOffIsLeftOff() {
        deserted();
        bench.reads(PowerReading.OFF, true, Bench.GONE);
        pass(patience());

        assertThat(bench.fenceOrders)
                .extracting(Action.OrderFence::how)
                .containsExactly(Action.FenceKind.OFF);
    }

    /** Each by itself keeps a node from ordering that would order otherwise. */
    record Hindrance(String name, Consumer<Bench> happens, Membership membership) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Hindrance> hindrances() {
        return List.of(
                new Hindrance("a peer that is there", _ -> {}, Bench.THERE),
                new Hindrance("no quorum", _ -> {}, NOT_QUORATE),
                new Hindrance("a node that waits for all", _ -> {}, WAITS),
                new Hindrance("a silent Corosync", _ -> {}, Membership.UNKNOWN),
                new Hindrance(
                        "maintenance, or fencing that is off",
                        bench -> bench.on(new Event.PacemakerRead(false)),
                        Bench.GONE),
                new Hindrance(
                        "a fence that Pacemaker ordered",
                        bench -> bench.on(new Event.FencingSeen(true)),
                        Bench.GONE),
                new Hindrance(
                        "a server that serves, as when only Pacemaker was stopped on the peer",
                        bench -> bench.etcdIs(EtcdState.LEADING),
                        Bench.GONE),
                new Hindrance("a stop", Bench::stop, Bench.GONE),
                new Hindrance("a proof", Bench::fenced, Bench.GONE),
                new Hindrance(
                        "a statement",
                        bench ->
                                bench.pass(bench.policy.heardLately().plusSeconds(1))
                                        .stated(
                                                PeerProof.Statement.PEER_IS_OFF,
                                                PowerReading.UNKNOWN),
                        Bench.GONE),
                new Hindrance(
                        "a BMC that reads Off falsely",
                        bench ->
                                bench.reads(PowerReading.OFF, true, Bench.THERE)
                                        .pass(bench.policy.offWhilePresent())
                                        .reads(PowerReading.OFF, true, Bench.THERE),
                        Bench.GONE));
    }

    @ParameterizedTest
    @MethodSource("hindrances")
    void noneIsOrdered(Hindrance hindrance) {
        deserted();
        hindrance.happens.accept(bench);
        pass(patience().multipliedBy(3), hindrance.membership);

        assertThat(bench.fenceOrders).isEmpty();
    }

    /** What is not known is no permission. */
    @Test
    void noneIsOrderedBeforePacemakerWasAsked() {
        bench.serves().peerIs(Bench.GONE).etcdIs(EtcdState.LEADERLESS);
        pass(patience().multipliedBy(3));
        assertThat(bench.fenceOrders).isEmpty();

        bench.pacemakerMayFence();
        pass(patience());
        assertThat(bench.fenceOrders).hasSize(1);
    }

    @Test
    void aNodeThatBootsAloneOrdersNone() {
        bench.pacemakerMayFence().peerIs(Bench.ALONE_SINCE_BOOT);
        bench.on(new Event.StartRequested());
        pass(Duration.ofMinutes(10), Bench.ALONE_SINCE_BOOT);

        assertThat(bench.fenceOrders).isEmpty();
    }

    @Test
    void aPeerThatLeftInOrderIsNotFenced() {
        bench.serves()
                .pacemakerMayFence()
                .hears("two 1:7 left stopped")
                .peerIs(Bench.GONE)
                .etcdIs(EtcdState.LEADERLESS);
        pass(Duration.ofMinutes(10));

        assertThat(bench.fenceOrders).isEmpty();
    }

    /** With a slow BMC the second fence of a split is held back for longer than the wait. */
    @Test
    void whatPacemakerHasOrderedIsWaitedFor() {
        deserted();
        bench.on(new Event.FencingSeen(true));
        pass(Duration.ofMinutes(3));
        bench.on(new Event.FencingSeen(false));
        pass(patience().minusSeconds(1));
        assertThat(bench.fenceOrders).isEmpty();

        pass(Duration.ofSeconds(1));
        assertThat(bench.fenceOrders).hasSize(1);
    }

    /** It takes up to two minutes, and nobody tells when it has ended. */
    @Test
    void theSecondLevelIsWaitedFor() {
        Duration limit = Duration.ofMinutes(2);
        bench.serves().pacemakerMayFence().on(new Event.FenceExpected(limit));
        deserted();
        pass(limit.plus(patience()).minusSeconds(1));
        assertThat(bench.fenceOrders).isEmpty();

        pass(Duration.ofSeconds(1));
        assertThat(bench.fenceOrders).hasSize(1);
    }

    @Test
    void aPeerThatComesBackBeginsTheWaitAnew() {
        deserted();
        pass(patience().minusSeconds(1));
        bench.peerIs(Bench.THERE).peerIs(Bench.GONE);
        pass(patience().minusSeconds(1));
        assertThat(bench.fenceOrders).isEmpty();

        pass(Duration.ofSeconds(1));
        assertThat(bench.fenceOrders).hasSize(1);
    }

    /** It holds Corosync back until the link is stable, and is about to join. */
    @Test
    void aPeerThatHasBootedHasTimeToJoin() {
        deserted();
        pass(patience().minusSeconds(1));
        bench.hears(new PeerMessage.Hello(Bench.nextBoot()));

        pass(bench.policy.fenceAgainAtMost().minusSeconds(1));
        assertThat(bench.fenceOrders).isEmpty();
    }

    @Test
    void aPeerThatHasJoinedIsGivenNoMoreTime() {
        bench.serves()
                .pacemakerMayFence()
                .peerIs(Bench.GONE)
                .hears(new PeerMessage.Hello(Bench.nextBoot()))
                .peerIs(Bench.THERE)
                .peerIs(Bench.GONE)
                .etcdIs(EtcdState.LEADERLESS);
        pass(patience());

        assertThat(bench.fenceOrders).hasSize(1);
    }

    /** Whatever comes between: its first word may be older than the reason for a fence. */
    @Test
    void theTimeToJoinOutlastsABlink() {
        bench.serves()
                .pacemakerMayFence()
                .peerIs(Bench.GONE)
                .hears(new PeerMessage.Hello(Bench.nextBoot()))
                .etcdIs(EtcdState.LEADERLESS);
        pass(patience()).on(new Event.PacemakerRead(false));
        bench.pacemakerMayFence();

        pass(bench.policy.fenceAgainAtMost().minus(patience()).minusSeconds(1));
        assertThat(bench.fenceOrders).isEmpty();
    }

    @Test
    void oneThatFailedIsToldAndOrderedAgainLaterAndLater() {
        deserted();
        pass(patience());
        int orders = 1;
        for (int pause : new int[] {60, 120, 240, 300, 300}) {
            pass(Duration.ofMinutes(10));
            assertThat(bench.fenceOrders).as("one at a time").hasSize(orders);
            bench.fenceOrderEnds(false);
            assertThat(bench.view().sentence()).endsWith("the fence that north ordered failed");

            pass(Duration.ofSeconds(pause - 1));
            assertThat(bench.fenceOrders).as("within %d s", pause).hasSize(orders);

            pass(Duration.ofSeconds(1));
            orders++;
            assertThat(bench.fenceOrders).as("after %d s", pause).hasSize(orders);
        }
        assertThat(bench.notices(Notice.ActionFailed.class))
                .hasSize(5)
                .allMatch(failed -> failed.why().equals("no device answers"));
    }

    /** Pacemaker has fenced it already, and does not fence it again. */
    @Test
    void aProofThatWasVoidedBesideADeadPeerIsMadeAgain() {
        bench.serves().pacemakerMayFence();
        bench.fenced();
        bench.restart().peerIs(Bench.THERE);
        assertThat(bench.notices(Notice.ProofsVoid.class)).hasSize(1);

        bench.pacemakerMayFence().peerIs(Bench.GONE).etcdIs(EtcdState.LEADERLESS);
        pass(patience());
        assertThat(bench.fenceOrders).hasSize(1);
    }

    @Test
    void theReportOfAnotherOrderChangesNothing() {
        deserted();
        pass(patience());
        long id = bench.fenceOrders.getLast().id();
        State before = bench.state();

        bench.on(new Event.FenceOrderEnded(id + 1, false, "late"));

        assertThat(bench.state().live().fencing()).isEqualTo(before.live().fencing());
    }

    // ---- a peer that is there, without an agent -----------------------------------------------

    /** It was rebooted before anybody fenced it; its agent does not start, nor does its etcd. */
    private Bench desertedByItsAgent() {
        bench.serves().pacemakerMayFence().etcdIs(EtcdState.LEADERLESS);
        return bench;
    }

    @Test
    void aPeerWithoutAnAgentWhoseVoteIsMissingIsFenced() {
        desertedByItsAgent();
        pass(bench.policy.fenceAgain(), Bench.THERE);
        assertThat(bench.fenceOrders).as("an agent may be restarted").isEmpty();

        pass(patience().plusSeconds(5), Bench.THERE);
        assertThat(bench.fenceOrders).hasSize(1);

        bench.peerIs(Bench.GONE).fenced().fenceOrderEnds(true);
        assertThat(bench.told).endsWith("take over as 2");
    }

    /** After its boot Corosync is there before the agent. */
    @Test
    void aPeerThatHasJustJoinedHasTimeToSpeak() {
        deserted();
        pass(patience());
        bench.fenceOrderEnds(true);
        pass(Duration.ofSeconds(90));
        assertThat(bench.fenceOrders).hasSize(1);

        pass(bench.policy.fenceAgain(), Bench.THERE);
        assertThat(bench.fenceOrders).as("it boots").hasSize(1);
        bench.hears("two 1:7 leaderless");
        pass(Duration.ofSeconds(30), Bench.THERE);
        assertThat(bench.fenceOrders).as("and speaks").hasSize(1);
    }

    /** Level 2 works, and this agent's own connection to the BMC does not. */
    @Test
    void aPeerIsNotFencedAtEachOfItsBoots() {
        deserted();
        pass(patience());
        bench.fenceOrderEnds(true);
        for (int i = 0; i < 5; i++) {
            pass(Duration.ofSeconds(90));
            pass(Duration.ofMinutes(4), Bench.THERE);
        }
        assertThat(bench.fenceOrders).hasSize(1);
    }

    @Test
    void aPeerWhoseAgentSpeaksIsNotFencedForThat() {
        desertedByItsAgent();
        for (int i = 0; i < 60; i++) {
            bench.hears("two 1:7 leaderless");
            pass(Duration.ofSeconds(5), Bench.THERE);
        }
        assertThat(bench.fenceOrders).isEmpty();
    }

    @Test
    void aServerThatServesBesideASilentAgentIsReasonForNone() {
        bench.serves().pacemakerMayFence();
        pass(Duration.ofMinutes(10), Bench.THERE);
        assertThat(bench.fenceOrders).isEmpty();
    }

    // ---- fences that prove nothing --------------------------------------------------------------

    /** Level 2 has switched it off and on; the BMC does not answer this agent, nor tell it more. */
    @Test
    void aFenceThatProvedNothingIsNotRepeatedBeforeTheBmcAnswers() {
        deserted();
        pass(patience());
        bench.fenceOrderEnds(true);
        pass(Duration.ofMinutes(30));
        assertThat(bench.fenceOrders).as("the peer may be booting").hasSize(1);

        bench.reads(PowerReading.ON, true, Bench.GONE);
        pass(bench.policy.fenceAgainAtMost());
        assertThat(bench.fenceOrders).hasSize(2);
    }
}
