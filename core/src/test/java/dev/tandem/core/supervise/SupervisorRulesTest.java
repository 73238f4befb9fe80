package dev.tandem.core.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerCommit;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.supervise.Bench.Disk;
import dev.tandem.core.testing.Sketch;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules that were learned the hard way, each on the function itself. */
class SupervisorRulesTest {
    private final Bench bench = new Bench("two 1:7");

    private Optional<Decision> decided() {
        return bench.view().pending().map(VolatileState.Pending::decision);
    }

    // ---- write first ---------------------------------------------------------------------------

    @Test
    void aTakeOverIsOnTheDiskBeforeAnythingIsForced() {
        bench.serves().peerIs(Bench.GONE);
        bench.disk = Disk.HELD;
        bench.fenced();
        assertThat(bench.told)
                .as("ending its own server needs no record")
                .containsExactly("start", "kill");
        assertThat(bench.acknowledged).as("Pacemaker waits for the disk").isEmpty();

        bench.diskStores();

        assertThat(bench.told).containsExactly("start", "kill", "take over as 2");
        assertThat(bench.content().claim()).isInstanceOf(Claim.TakeOver.class);
        assertThat(bench.content().forced()).isTrue();
        assertThat(bench.acknowledged).containsExactly(new Action.Acknowledgement.Done());
    }

    /** On a slow disk the report comes seconds later, and a status must not wait for it. */
    @Test
    void aServerThatWasOrderedToEndIsDown() {
        bench.serves().peerIs(Bench.GONE);
        assertThat(bench.view().health()).isNotEqualTo(Health.DOWN);
        bench.holdsOrders = true;

        bench.fenced();

        assertThat(bench.told).endsWith("kill");
        assertThat(bench.view().health()).isEqualTo(Health.DOWN);
    }

    /** On a disk that takes seconds for a write, what is given up too early is never done. */
    @Test
    void aForcedStartHasTwiceTheTimeAfterEachThatWasGivenUp() {
        bench.serves().peerIs(Bench.GONE);
        bench.fenced();
        int tries = 1;
        for (int seconds : new int[] {60, 120, 240, 480, 480}) {
            bench.pass(Duration.ofSeconds(seconds)).look();
            assertThat(takeOvers()).as("within %d s", seconds).isEqualTo(tries);

            bench.pass(Duration.ofSeconds(1)).look();
            tries++;
            assertThat(takeOvers()).as("after %d s", seconds).isEqualTo(tries);
        }
        assertThat(bench.view().takesOver()).isTrue();
    }

    private long takeOvers() {
        return bench.told.stream().filter("take over as 2"::equals).count();
    }

    /** Proof and claim; the rest is the log's own. */
    @Test
    void aTakeOverTakesTwoWrites() {
        bench.serves().peerIs(Bench.GONE);
        int before = bench.written.size();

        bench.fenced();

        assertThat(bench.told).endsWith("take over as 2");
        assertThat(bench.written.size() - before).isLessThanOrEqualTo(2);
    }

    /** The next agent would read there that nobody else has served since. */
    @Test
    void aPeerIsLetInWhenTheClaimIsOffTheDisk() {
        bench.serves().peerIs(Bench.GONE);
        bench.fenced();
        bench.disk = Disk.HELD;
        bench.replica = sole((Replica.Intact) bench.replica);
        bench.etcdIs(EtcdState.LEADING).peerIs(Bench.THERE).hears("two 1:7 stopped");

        assertThat(bench.content().claim()).isInstanceOf(Claim.TakeOver.class);
        assertThat(bench.steps).isEmpty();

        bench.diskStores().hears("two 1:7 stopped");

        assertThat(bench.content().claim()).isEqualTo(Claim.none());
        assertThat(bench.steps)
                .containsExactly(new LeaderDecision.Step.AddLearner(Sketch.SOUTH_BOOT));
    }

    private static Replica sole(Replica.Intact log) {
        return new Replica.Intact(
                log.lineage(),
                log.term(),
                log.lastIndex(),
                log.commitIndex(),
                Replica.MemberRole.SOLE,
                log.complete(),
                log.memberId());
    }

    @Test
    void whatIsNotStoredIsToldToNobody() {
        bench.serves();
        bench.disk = Disk.HELD;
        bench.stop().hears("two 1:7 leading");

        assertThat(bench.facts().abdication()).isEqualTo(Abdication.none());
        assertThat(bench.view().stopProgress())
                .isInstanceOf(SupervisorView.StopProgress.UnderWay.class);

        bench.diskStores().hears("two 1:7 leading");

        assertThat(bench.facts().abdication()).isInstanceOf(Abdication.Departure.class);
        assertThat(bench.content().abdication()).isEqualTo(bench.facts().abdication());
        assertThat(bench.answer)
                .hasValueSatisfying(message ->
                        assertThat(((PeerMessage.Facts) message).facts().abdication())
                                .isInstanceOf(Abdication.Departure.class));
    }

    @Test
    void aReleaseIsToldWhenItIsStored() {
        Bench incomplete = new Bench("unconfirmed 1:7");
        incomplete.peerIs(Bench.THERE);
        incomplete.disk = Disk.HELD;
        incomplete.hears("two 1:7 left leading");
        assertThat(incomplete.facts().released()).isZero();

        incomplete.diskStores();
        assertThat(incomplete.facts().released()).isEqualTo(1);
        assertThat(incomplete.tellsPeer).isPositive();
    }

    @Test
    void aWriteThatFailsLeavesTheOldStateIsShownAndIsTriedAgainLaterAndLater() {
        bench.serves().peerIs(Bench.GONE);
        bench.disk = Disk.FULL;
        DurableState before = bench.content();
        bench.fenced();

        assertThat(bench.state().stored()).isEqualTo(before);
        assertThat(bench.view().cannotStore()).contains("no space");
        assertThat(bench.acknowledged)
                .containsExactly(new Action.Acknowledgement.NotStored("no space"));
        assertThat(bench.told).doesNotContain("take over as 2");

        bench.look().look().look();
        assertThat(bench.notices(Notice.NotStored.class)).hasSize(1);

        // What physically happened is not thrown away with the write.
        bench.disk = Disk.STORES;
        bench.pass(Duration.ofSeconds(8)).look();
        assertThat(bench.told).endsWith("take over as 2");
        assertThat(bench.view().cannotStore()).isEmpty();
        assertThat(bench.notices(Notice.StoredAgain.class)).hasSize(1);
    }

    @Test
    void aDiskThatDoesNotAnswerIsShownToo() {
        bench.serves();
        bench.disk = Disk.HELD;
        bench.peerIs(Bench.GONE).fenced().pass(Duration.ofSeconds(11));

        assertThat(bench.view().cannotStore())
                .hasValueSatisfying(why -> assertThat(why).contains("not answered for 11 s"));
    }

    @Test
    void anAgentBeginsAndRunsOnAFullDisk() {
        bench.serves();
        bench.disk = Disk.FULL;
        bench.restart();

        assertThat(bench.view().cannotStore()).isPresent();
        bench.peerIs(Bench.THERE).hears("two 1:7 leading").etcdIs(EtcdState.STOPPED);
        bench.pass(Duration.ofSeconds(1)).look();
        assertThat(bench.told).as("what needs no record is done").containsExactly("start", "start");

        for (int death = 0; death < 10; death++) {
            bench.etcdIs(EtcdState.STOPPED).pass(Duration.ofSeconds(9)).look();
        }
        assertThat(bench.facts().abdication())
                .as("it cannot give up what it cannot record")
                .isEqualTo(Abdication.none());
        assertThat(bench.told).endsWith("start");
        assertThat(bench.stop().view().stopProgress())
                .as("and has to be fenced rather than believed")
                .isInstanceOf(SupervisorView.StopProgress.UnderWay.class);
    }

    /** A restarted agent would find etcd wanted, and start it behind Pacemaker's back. */
    @Test
    void aStopIsOverWhenItIsStored() {
        bench.serves().hears("sole 1:8 leading");
        bench.disk = Disk.HELD;
        bench.stop();
        assertThat(bench.view().stopProgress())
                .isInstanceOf(SupervisorView.StopProgress.UnderWay.class);
        assertThat(bench.told).doesNotContain("stop");

        bench.diskStores();

        assertThat(bench.told).endsWith("stop");
        assertThat(bench.view().stopProgress())
                .isInstanceOf(SupervisorView.StopProgress.Stopped.class);
        assertThat(bench.content().wanted()).isFalse();
    }

    /** Pacemaker takes it for stopped: standby, disabled, or the node is leaving. */
    @Test
    void whatTheResourceAgentStoppedWithoutAnAgentIsNotStarted() {
        bench.peerIs(Bench.THERE).hears("two 1:7 stopped").on(new Event.StartRequested());
        assertThat(bench.content().wanted()).isTrue();
        bench.server = EtcdState.STOPPED;
        bench.told.clear();

        bench.stoppedWithoutAgent().peerIs(Bench.THERE).hears("two 1:7 stopped");
        assertThat(bench.told).isEmpty();
        assertThat(bench.content().wanted()).as("from now on the disk says so").isFalse();
        bench.on(new Event.StartRequested());
        assertThat(bench.told).isNotEmpty();
    }

    @Test
    void aStopOfWhatDoesNotRunIsOverWhenItIsStoredToo() {
        bench.peerIs(Bench.THERE).on(new Event.StartRequested());
        assertThat(bench.told).as("it waits for the peer's facts").isEmpty();
        bench.disk = Disk.HELD;
        bench.stop();
        assertThat(bench.view().stopProgress())
                .isInstanceOf(SupervisorView.StopProgress.UnderWay.class);

        bench.diskStores();
        assertThat(bench.view().stopProgress())
                .isInstanceOf(SupervisorView.StopProgress.Stopped.class);
    }

    /** A server that refuses it at once is not asked again at once. */
    @Test
    void leadershipIsNotHandedOverAgainAndAgain() {
        bench.serves().hears("two 1:7 following").etcdIs(EtcdState.LEADING).stop();
        for (int i = 0; i < 100; i++) {
            bench.pass(Duration.ofMillis(10)).look();
        }
        assertThat(bench.handsOver).isBetween(2, 6);

        bench.etcdIs(EtcdState.FOLLOWING);
        assertThat(bench.facts().abdication()).isInstanceOf(Abdication.Departure.class);
    }

    @Test
    void aNodeStandsDownWhenThatIsStoredAndTellsItWhenItsServerHasEnded() {
        bench.serves().etcdIs(EtcdState.LEADERLESS);
        bench.replica = Sketch.north("two 1:6").replica();
        bench.holdsOrders = true;
        bench.disk = Disk.HELD;
        bench.goOn(30, EtcdState.LEADERLESS);
        assertThat(bench.told).as("not before it is stored").containsExactly("start");

        bench.diskStores();
        assertThat(bench.told).containsExactly("start", "kill");
        bench.hears("two 1:7 leaderless");
        assertThat(bench.answer).contains(new PeerMessage.Hello(Sketch.NORTH_BOOT));

        bench.ordersGoOn().hears("two 1:7 leaderless");
        assertThat(bench.answer)
                .hasValueSatisfying(
                        message -> assertThat(message).isInstanceOf(PeerMessage.Facts.class));
        assertThat(bench.facts().abdication()).isInstanceOf(Abdication.StandDown.class);
        assertThat(bench.told).containsExactly("start", "kill");
    }

    // ---- what is told --------------------------------------------------------------------------

    @Test
    void whoTakesOverTellsNothingOfTheReplicaItGivesUp() {
        bench.serves().peerIs(Bench.GONE);
        bench.holdsOrders = true;
        bench.fenced();
        assertThat(bench.told).endsWith("kill");
        bench.hears("two 1:7 leading");
        assertThat(bench.answer).contains(new PeerMessage.Hello(Sketch.NORTH_BOOT));
        assertThat(bench.view().question().message())
                .isEqualTo(new PeerMessage.Hello(Sketch.NORTH_BOOT));

        bench.ordersGoOn();

        assertThat(bench.told).endsWith("take over as 2");
        assertThat(bench.view().message())
                .isInstanceOfSatisfying(
                        PeerMessage.Facts.class,
                        told ->
                                assertThat(told.facts().claim())
                                        .isInstanceOf(Claim.TakeOver.class));
    }

    @Test
    void anAgentThatCannotLookAtItsServerTellsNothingOfIt() {
        bench.serves().etcdIs(EtcdState.LEADERLESS).pass(Duration.ofSeconds(10));
        assertThat(bench.view().message()).isInstanceOf(PeerMessage.Facts.class);

        bench.pass(Duration.ofMillis(1));
        assertThat(bench.view().message()).isEqualTo(new PeerMessage.Hello(Sketch.NORTH_BOOT));

        bench.look();
        assertThat(bench.view().message()).isInstanceOf(PeerMessage.Facts.class);
    }

    // ---- the peer's words ----------------------------------------------------------------------

    @Test
    void aContradictionIsCountedOverWordsThatGoOn() {
        bench.serves();
        for (int i = 0; i < 20; i++) {
            bench.pass(Duration.ofSeconds(11)).look().hears("two 1:7 leaderless").look();
        }
        assertThat(bench.told).as("each word after a silence").containsExactly("start");

        bench.goOn(29, EtcdState.LEADERLESS);
        assertThat(bench.told).containsExactly("start");
        bench.goOn(3, EtcdState.LEADERLESS);
        assertThat(bench.told).as("of 30 s in one go").containsExactly("start", "kill", "start");
    }

    @Test
    void aServerThatNobodySawLatelyIsNotContradicted() {
        bench.serves();
        for (int i = 0; i < 60; i++) {
            bench.pass(Duration.ofSeconds(1)).hears("two 1:7 leaderless");
        }

        assertThat(bench.told).containsExactly("start");
    }

    @Test
    void aPeerThatFallsSilentIsNotHeldToBeLeaderlessAnyMore() {
        bench.serves();
        // So that it would be the one to stand down.
        bench.replica = Sketch.north("two 1:6").replica();
        bench.etcdIs(EtcdState.LEADERLESS).goOn(4, EtcdState.LEADERLESS);
        for (int i = 0; i < 60; i++) {
            bench.pass(Duration.ofSeconds(1))
                    .look()
                    .hears(new PeerMessage.Hello(Sketch.SOUTH_BOOT));
        }

        assertThat(decided()).isPresent().get().isNotInstanceOf(Decision.StandDown.class);
        assertThat(bench.facts().abdication()).isEqualTo(Abdication.none());
    }

    // ---- the server ----------------------------------------------------------------------------

    @Test
    void aServerThatHangsIsKilledWhateverIsWaitedFor() {
        bench.serves().hears("sole 2s7:9 stopped").etcdIs(EtcdState.HUNG);

        assertThat(bench.told).containsExactly("start", "kill");
        assertThat(decided())
                .contains(new Decision.Wait(dev.tandem.core.decision.WaitFor.PEER_SERVES));
    }

    @Test
    void aProcessThatCannotBeEndedIsNotKilledAtEveryEvent() {
        bench.serves();
        bench.cannotBeEnded = true;
        bench.peerIs(Bench.GONE).fenced();
        for (int i = 0; i < 600; i++) {
            bench.pass(Duration.ofMillis(100))
                    .look()
                    .hears(new PeerMessage.Hello(Sketch.SOUTH_BOOT));
        }

        assertThat(bench.told.stream().filter("kill"::equals).count())
                .as("within a minute")
                .isBetween(2L, 12L);
        assertThat(bench.notices(Notice.ActionFailed.class)).hasSize(1);
    }

    @Test
    void nothingIsOrderedWhileAnOrderIsUnderWay() {
        bench.serves().peerIs(Bench.GONE);
        bench.holdsOrders = true;
        bench.fenced().look().peerIs(Bench.THERE).etcdIs(EtcdState.STOPPED).look();

        assertThat(bench.told).containsExactly("start", "kill");
        assertThat(bench.notices(Notice.EtcdExited.class))
                .as("it was ended, and has not died")
                .isEmpty();
    }

    @Test
    void anOrderThatWasTakenBackIsDecidedAgain() {
        bench.serves().peerIs(Bench.GONE);
        bench.holdsOrders = true;
        bench.fenced();
        long id = bench.state().live().work().etcd().orElseThrow().id();
        bench.holdsOrders = false;
        bench.on(
                new Event.EtcdOrderEnded(
                        id,
                        new Event.OrderResult.Failed(
                                bench.view().observation(), "etcd", "hangs", "look", false, true)));
        assertThat(bench.told).containsExactly("start", "kill");
        assertThat(bench.view().trouble()).contains("etcd: hangs");

        bench.pass(Duration.ofSeconds(1)).look();

        assertThat(bench.told).endsWith("kill", "take over as 2");
    }

    @Test
    void aRestartedAgentDecidesNothingBeforeItHasAskedCorosync() {
        bench.serves().peerIs(Bench.GONE);
        bench.holdsOrders = true;
        bench.fenced();
        bench.server = EtcdState.STOPPED;
        bench.holdsOrders = false;
        bench.told.clear();

        bench.restart().look().hears(new PeerMessage.Hello(Sketch.SOUTH_BOOT)).look();
        assertThat(bench.told).isEmpty();

        bench.peerIs(Bench.GONE);
        assertThat(bench.told).containsExactly("take over as 2");
    }

    // ---- the log -------------------------------------------------------------------------------

    @Test
    void aLogThatLacksWhatThePeerCommittedIsNotComplete() {
        Bench rolledBack = new Bench("two 1:5");
        rolledBack.peerIs(Bench.THERE).hears("two 1:9/8 stopped").on(new Event.StartRequested());
        assertThat(rolledBack.told).as("it catches up beside its peer").containsExactly("start");
        assertThat(rolledBack.notices(Notice.LogLacksEntries.class))
                .containsExactly(new Notice.LogLacksEntries(5, 8));

        rolledBack.etcdIs(EtcdState.LEADERLESS).peerIs(Bench.GONE).fenced();

        assertThat(rolledBack.told).containsExactly("start");
        assertThat(rolledBack.view().pending().orElseThrow().decision())
                .isEqualTo(new Decision.Refuse(Refusal.LOG_LACKS_ENTRIES));
    }

    @Test
    void whatThePeerCommittedIsKnownAfterARebootAndACaughtUpLogIsComplete() {
        bench.serves();
        bench.replica = Sketch.north("two 1:9").replica();
        bench.look().hears("two 1:9 leading").pass(Duration.ofSeconds(31)).hears("two 1:9 leading");
        assertThat(bench.content().in(Bench.nextBoot()).peerCommit())
                .as("written now and then, without another reason")
                .isInstanceOfSatisfying(
                        PeerCommit.Told.class, told -> assertThat(told.index()).isEqualTo(9));

        bench.server = EtcdState.STOPPED;
        bench.replica = Sketch.north("two 1:8").replica();
        bench.restart();
        assertThat(bench.facts().canSeed()).isFalse();

        bench.replica = Sketch.north("two 1:9").replica();
        bench.peerIs(Bench.THERE).hears("two 1:9 leading").etcdIs(EtcdState.FOLLOWING);
        assertThat(bench.facts().canSeed()).isTrue();
    }

    @Test
    void onlyWhoAcceptsTheLossGoesOnWithoutWhatTheLogLacks() {
        Bench rolledBack = new Bench("two 1:5");
        rolledBack
                .peerIs(Bench.THERE)
                .hears("two 1:9/8 stopped")
                .on(new Event.StartRequested())
                .etcdIs(EtcdState.LEADERLESS)
                .peerIs(Bench.GONE)
                .pass(Duration.ofSeconds(10));
        rolledBack.stated(PeerProof.Statement.PEER_IS_OFF, PowerReading.OFF);
        assertThat(rolledBack.told).containsExactly("start");

        rolledBack.stated(PeerProof.Statement.PEER_IS_OFF_LOSS_ACCEPTED, PowerReading.OFF);
        assertThat(rolledBack.told).containsExactly("start", "kill", "take over as 2 after a loss");
    }

    /** Its clients may have seen what is given up, although nothing of its own log is. */
    @Test
    void whoVotesAloneAndGivesUpThePeersHistoryStartsAfterALoss() {
        Bench forked = new Bench("sole 1:7");
        forked.peerIs(Bench.THERE)
                .hears("sole 1:9 stopped")
                .on(new Event.StartRequested())
                .peerIs(Bench.GONE)
                .pass(Duration.ofSeconds(10));
        assertThat(forked.told).isEmpty();

        forked.stated(PeerProof.Statement.PEER_IS_OFF_LOSS_ACCEPTED, PowerReading.OFF);
        assertThat(forked.told).containsExactly("start after a loss");
    }

    /** Else it would be killed and started again for ever. */
    @ParameterizedTest
    @CsvSource({
        "REMOVES_THIS_NODE, LOG_REMOVES_SELF",
        "CHANGES_VOTERS_JOINTLY, LOG_CHANGES_VOTERS"
    })
    void aLogThatRemovesItsOwnNodeOrHoldsAJointChangeIsNotTakenOverWith(
            WholeLog log, Refusal refusal) {
        bench.serves().peerIs(Bench.GONE);
        bench.log = log;
        bench.fenced();
        for (int i = 0; i < 20; i++) {
            bench.pass(Duration.ofSeconds(9)).look().peerIs(Bench.GONE);
        }

        assertThat(bench.told).containsExactly("start", "kill");
        assertThat(decided()).contains(new Decision.Refuse(refusal));
        assertThat(bench.content().claim()).isEqualTo(Claim.none());

        bench.peerIs(Bench.THERE).hears("two 1:7 leading");
        assertThat(bench.told).containsExactly("start", "kill", "start");
    }

    /** Until its lineage is on the disk a take-over has begun nothing, and may never do so. */
    @Test
    void whatWasGivenUpStaysSoUntilATakeOverHasBegun() {
        Bench yielded = new Bench("two 1:7");
        yielded.serves().stop().hears("two 1:7 leading");
        assertThat(yielded.content().abdication()).isInstanceOf(Abdication.Departure.class);
        yielded.etcdIs(EtcdState.STOPPED).on(new Event.StartRequested()).peerIs(Bench.GONE);
        yielded.pass(Duration.ofSeconds(10)).disk = Disk.HELD;
        yielded.stated(PeerProof.Statement.PEER_IS_OFF_LOSS_ACCEPTED, PowerReading.OFF);
        yielded.diskStores().holdsOrders = true;
        yielded.look();

        assertThat(yielded.content().claim()).isInstanceOf(Claim.TakeOver.class);
        assertThat(yielded.content().abdication()).isInstanceOf(Abdication.Departure.class);

        yielded.ordersGoOn().etcdIs(EtcdState.LEADING);
        assertThat(yielded.facts().abdication()).isEqualTo(Abdication.none());
    }

    /** Two orders for one proof: the second must not wait for a write that never comes. */
    @Test
    void aCallerWhoseNewsIsBeingWrittenIsAnsweredWithThatWrite() {
        bench.serves().peerIs(Bench.GONE);
        bench.disk = Disk.HELD;
        bench.fenced().fenced();

        bench.diskStores();

        assertThat(bench.acknowledged)
                .containsExactly(
                        new Action.Acknowledgement.Done(), new Action.Acknowledgement.Done());
    }

    @Test
    void aPeerThatOnlyGreetsIsNotAskedWithoutAPause() {
        bench.peerIs(Bench.THERE).hears(new PeerMessage.Hello(Bench.nextBoot()));
        int asked = bench.tellsPeer;
        for (int i = 0; i < 5; i++) {
            VolatileState.Question question = bench.view().question();
            bench.on(
                    new Event.PeerAnswered(
                            question, new PeerMessage.Hello(Bench.nextBoot()), true));
        }
        assertThat(bench.tellsPeer).isEqualTo(asked);
    }

    // ---- proofs --------------------------------------------------------------------------------

    @Test
    void aFenceThatDidNotReadOffIsNoSuccess() {
        bench.serves().peerIs(Bench.GONE);
        bench.fenced(
                new Event.FenceReading(PowerReading.UNKNOWN, true, Duration.ZERO, bench.now()));

        assertThat(bench.acknowledged)
                .containsExactly(new Action.Acknowledgement.NotBelieved(Action.Disbelief.NOT_OFF));
        assertThat(bench.told).containsExactly("start");
    }

    @Test
    void offThatTheOrderDidNotBringAboutIsReadTwice() {
        bench.serves().peerIs(Bench.GONE);
        bench.fenced(
                new Event.FenceReading(
                        PowerReading.OFF, false, Duration.ofMillis(299), bench.now()));
        assertThat(bench.acknowledged)
                .containsExactly(
                        new Action.Acknowledgement.NotBelieved(Action.Disbelief.READ_ONCE));
        assertThat(bench.told).containsExactly("start");

        bench.fenced(
                new Event.FenceReading(
                        PowerReading.OFF, false, Duration.ofMillis(300), bench.now()));
        assertThat(bench.told).endsWith("take over as 2");
    }

    @Test
    void anotherMachinesOffProvesNothing() {
        bench.serves().peerIs(Bench.GONE);
        bench.fenced(
                bench.order(),
                Proofs.Machine.ANOTHER,
                new Event.FenceReading(PowerReading.OFF, true, Duration.ofSeconds(1), bench.now()));

        assertThat(bench.told).containsExactly("start");
        assertThat(bench.acknowledged)
                .containsExactly(
                        new Action.Acknowledgement.NotBelieved(Action.Disbelief.ANOTHER_MACHINE));
    }

    @Test
    void aFenceIsOfTheBootThatWasKnownWhenItWasOrdered() {
        bench.serves();
        Proofs.Order order = bench.order();
        bench.hears(new PeerMessage.Hello(Bench.nextBoot())).peerIs(Bench.GONE);
        bench.fenced(order, Proofs.Machine.THE_PEER, Bench.off(bench.now()));

        assertThat(bench.told).containsExactly("start");
        assertThat(bench.content().proofs()).isEmpty();
    }

    /** A fenced node that boots reads On (ADR 18); one that is a member again was not fenced. */
    @Test
    void aFenceIsVoidWhenThePeerIsBackAndNotWhenItsBmcReadsOn() {
        bench.serves().peerIs(Bench.GONE);
        bench.cannotBeEnded = true;
        bench.fenced().reads(PowerReading.ON, true, Membership.UNKNOWN);
        assertThat(bench.content().proofs()).hasSize(1);

        bench.peerIs(Bench.THERE);
        assertThat(bench.content().proofs()).isEmpty();
        assertThat(bench.notices(Notice.ProofsVoid.class)).hasSize(1);
    }

    @Test
    void anAnswerToAQuestionThatWasAskedAfterAProofEndsIt() {
        bench.serves();
        VolatileState.Question before = bench.view().question();
        bench.pass(Duration.ofMillis(1)).fenced().pass(Duration.ofMillis(1));
        VolatileState.Question after = bench.view().question();
        PeerMessage alive =
                new PeerMessage.Facts(Sketch.south("two 1:7 leading"), Sketch.NORTH_BOOT);

        bench.on(new Event.PeerAnswered(before, alive, true));
        assertThat(bench.content().proofs()).as("it may have answered just before").hasSize(1);
        bench.on(new Event.PeerAnswered(after, alive, true));
        assertThat(bench.content().proofs()).isEmpty();
    }

    /** It hears nobody, so it answers nobody; what it sends arrives. */
    @Test
    void aQuestionOfTheFencedBootEndsTheProofUnlessItWasOnItsWay() {
        bench.serves().peerIs(Bench.GONE);
        bench.cannotBeEnded = true;
        bench.fenced().pass(Duration.ofSeconds(1)).hears("two 1:7 leading");
        assertThat(bench.content().proofs()).as("it may have asked just before").hasSize(1);

        bench.pass(bench.view().missedForSure()).hears("two 1:7 leading");
        assertThat(bench.content().proofs()).isEmpty();
        assertThat(bench.notices(Notice.ProofsVoid.class)).hasSize(1);
    }

    /** The machine's identity and the membership are read between Off and the event. */
    @Test
    void anOffThatWasReadBeforeThePeerWasAskedAndAnsweredIsNotBelieved() {
        bench.serves().peerIs(Bench.GONE);
        Proofs.Order order = bench.order();
        Moment read = bench.now();
        VolatileState.Question asked = bench.pass(Duration.ofSeconds(1)).view().question();
        bench.pass(Duration.ofSeconds(1)).on(new Event.PeerAnswered(asked, alive(), true));
        bench.pass(Duration.ofSeconds(1)).fenced(order, Proofs.Machine.THE_PEER, Bench.off(read));

        assertThat(bench.acknowledged)
                .containsExactly(
                        new Action.Acknowledgement.NotBelieved(Action.Disbelief.ALIVE_SINCE));
        assertThat(bench.content().proofs()).isEmpty();
        assertThat(bench.told).containsExactly("start");

        bench.fenced();
        assertThat(bench.told).as("a fence that follows is one").endsWith("take over as 2");
    }

    @Test
    void anAnswerToAQuestionThatWasAskedBeforeOffWasReadIsNotHeldAgainstIt() {
        bench.serves().peerIs(Bench.GONE);
        VolatileState.Question asked = bench.view().question();
        Moment read = bench.pass(Duration.ofMillis(1)).now();
        bench.pass(Duration.ofMillis(1)).on(new Event.PeerAnswered(asked, alive(), true));
        bench.fenced(Bench.off(read));

        assertThat(bench.told).endsWith("take over as 2");
    }

    @Test
    void anAnswerToAQuestionThatWasAskedBetweenOffAndItsEventEndsTheProof() {
        bench.serves().peerIs(Bench.GONE);
        bench.cannotBeEnded = true;
        Moment read = bench.now();
        VolatileState.Question asked = bench.pass(Duration.ofSeconds(1)).view().question();
        bench.pass(Duration.ofSeconds(1)).fenced(Bench.off(read));
        assertThat(bench.content().proofs()).hasSize(1);

        bench.on(new Event.PeerAnswered(asked, alive(), true));
        assertThat(bench.content().proofs()).isEmpty();
    }

    /** Else a true fence that follows a false one ends with what was asked between the two. */
    @Test
    void aSecondFenceOfTheSameBootCountsFromItsOwnReading() {
        bench.serves().peerIs(Bench.GONE);
        bench.cannotBeEnded = true;
        bench.fenced().pass(Duration.ofSeconds(1));
        VolatileState.Question asked = bench.view().question();
        bench.pass(Duration.ofSeconds(1)).fenced();

        bench.on(new Event.PeerAnswered(asked, alive(), true));
        assertThat(bench.content().proofs()).hasSize(1);
    }

    @Test
    void anOffThatWasReadBeforeThePeerCameBackIsNotBelieved() {
        bench.serves().peerIs(Bench.GONE);
        Moment read = bench.now();
        bench.pass(Duration.ofSeconds(1)).peerIs(Bench.THERE).peerIs(Bench.GONE);
        bench.fenced(Bench.off(read));

        assertThat(bench.acknowledged)
                .containsExactly(
                        new Action.Acknowledgement.NotBelieved(Action.Disbelief.ALIVE_SINCE));
        assertThat(bench.content().proofs()).isEmpty();
    }

    /** Corosync takes a while to miss a node, counted from the loss of its power. */
    @ParameterizedTest
    @CsvSource({"20, true", "21, false"})
    void aPeerThatCorosyncHasNotMissedYetIsFencedAndOneThatItShouldHaveMissedIsNot(
            int secondsAfterOff, boolean believed) {
        bench.serves();
        Moment read = bench.now();
        bench.pass(Duration.ofSeconds(secondsAfterOff)).peerIs(Bench.THERE);
        bench.fenced(Bench.off(read));

        assertThat(bench.content().proofs()).hasSize(believed ? 1 : 0);
        bench.pass(Duration.ofSeconds(1)).peerIs(Bench.THERE);
        assertThat(bench.content().proofs()).as("one second later").isEmpty();
    }

    private static PeerMessage alive() {
        return new PeerMessage.Facts(Sketch.south("two 1:7 leading"), Sketch.NORTH_BOOT);
    }

    @Test
    void aStatementThatTheBmcContradictedStaysVoidWhenTheBmcFallsSilent() {
        bench.serves().peerIs(Bench.GONE).pass(Duration.ofSeconds(10));
        bench.cannotBeEnded = true;
        bench.stated(PeerProof.Statement.PEER_IS_OFF, PowerReading.UNKNOWN);
        bench.cannotBeEnded = false;

        bench.reads(PowerReading.ON, true, Membership.UNKNOWN);
        bench.reads(PowerReading.UNKNOWN, false, Membership.UNKNOWN);
        bench.pass(Duration.ofSeconds(10)).look();

        assertThat(bench.told).doesNotContain("take over as 2");
        assertThat(decided()).contains(new Decision.Refuse(Refusal.PEER_IS_THERE));
        bench.restart().peerIs(Bench.GONE).look();
        assertThat(bench.told)
                .as("a restarted agent knows it too")
                .doesNotContain("take over as 2");

        bench.pass(Duration.ofSeconds(10));
        bench.stated(PeerProof.Statement.PEER_IS_OFF, PowerReading.UNKNOWN);
        assertThat(bench.told).as("who looks again is believed again").endsWith("take over as 2");
    }

    @Test
    void aStatementIsRefusedWithItsReason() {
        bench.serves();
        bench.stated(PeerProof.Statement.PEER_IS_OFF, PowerReading.OFF);
        bench.peerIs(Bench.GONE).stated(PeerProof.Statement.PEER_IS_OFF, PowerReading.OFF);
        bench.stated(PeerProof.Statement.PEER_IS_OFF, PowerReading.ON);
        bench.stated(PeerProof.Statement.KEEP_PEERS_HISTORY, PowerReading.ON);

        assertThat(bench.acknowledged)
                .isEqualTo(
                        List.of(
                                new Action.Acknowledgement.NotTaken(
                                        Action.StatementRefusal.PEER_IS_PRESENT),
                                new Action.Acknowledgement.NotTaken(
                                        Action.StatementRefusal.PEER_WAS_HEARD),
                                new Action.Acknowledgement.NotTaken(
                                        Action.StatementRefusal.BMC_READS_ON),
                                new Action.Acknowledgement.NotTaken(
                                        Action.StatementRefusal.NO_FORK)));
    }

    // ---- a state that is lost beside a running server ------------------------------------------

    @Test
    void aServerThatRunsIsWantedAlthoughTheStateIsLost() {
        bench.serves().losesState();

        assertThat(bench.content().wanted()).as("and the disk says so again").isTrue();
        assertThat(bench.view().runsUnasked()).isFalse();
        bench.peerIs(Bench.THERE).answers("two 1:7 leading").answers("two 1:7 leading");
        bench.peerIs(Bench.GONE).fenced();
        assertThat(bench.told).endsWith("take over as 2");
    }

    @Test
    void nothingIsMadeUpOfAPeerWhenTheStateIsLost() {
        bench.serves().losesState();

        assertThat(bench.content().met()).isFalse();
        assertThat(bench.content().peerKnownNotAhead()).isFalse();
        bench.peerIs(Bench.GONE).fenced();
        assertThat(bench.told).doesNotContain("take over as 2");
        assertThat(decided()).contains(new Decision.Wait(WaitFor.PEER_RETURN));
    }

    /** The peer may be about to use what this node has given up and forgotten. */
    @Test
    void thePeerIsHeededWhenItHasAnsweredTheFactsOfNow() {
        bench.serves().losesState();
        bench.peerIs(Bench.THERE).hears("two 1:7 leading").hears("two 1:7 leading");
        assertThat(bench.view().peerView()).isInstanceOf(PeerView.BootKnown.class);
        bench.peerIs(Bench.GONE).fenced();
        assertThat(bench.told).doesNotContain("take over as 2");

        bench.peerIs(Bench.THERE).answers("two 1:7 leading");
        assertThat(bench.view().peerView()).isInstanceOf(PeerView.FactsKnown.class);
    }

    @Test
    void aGreetingThatIsAnsweredWithFactsIsAnsweredAgain() {
        bench.serves().losesState().peerIs(Bench.THERE);

        assertThat(bench.view().message()).isInstanceOf(PeerMessage.Hello.class);
        bench.answers("two 1:7 leading");
        assertThat(bench.view().peerView()).isInstanceOf(PeerView.BootKnown.class);
        assertThat(bench.view().message()).isInstanceOf(PeerMessage.Facts.class);
        bench.answers("two 1:7 leading");
        assertThat(bench.view().peerView()).isInstanceOf(PeerView.FactsKnown.class);
    }

    @Test
    void twoThatAskAtTheSameMomentsGetOverALostState() {
        bench.serves().losesState().peerIs(Bench.THERE).hears("two 1:7 leading");
        VolatileState.Question asked = bench.view().question();
        bench.hears("two 1:7 leading");
        bench.on(
                new Event.PeerAnswered(
                        asked,
                        new PeerMessage.Facts(Sketch.south("two 1:7 leading"), Sketch.NORTH_BOOT),
                        true));

        assertThat(bench.view().peerView()).isInstanceOf(PeerView.FactsKnown.class);
    }

    @Test
    void aStopBesideALostStateIsNotUndone() {
        bench.serves().stoppedWithoutAgentAndState().peerIs(Bench.THERE);

        assertThat(bench.content().wanted()).isFalse();
        bench.etcdIs(EtcdState.STOPPED).hears("two 1:7 leading").look();
        assertThat(bench.told).containsExactly("start");
    }

    @Test
    void aNodeThatBootsIsNotTakenForOneThatLostItsState() {
        bench.losesState().peerIs(Bench.THERE).hears("two 1:7 leading");

        assertThat(bench.content().wanted()).isFalse();
        assertThat(bench.view().peerView()).isInstanceOf(PeerView.FactsKnown.class);
        assertThat(bench.told).isEmpty();
    }

    /** systemd may merely not say whether it runs. */
    @Test
    void aServerThatIsNotSeenIsLeftToPacemakerWhenTheStateIsLost() {
        bench.serves();
        bench.server = EtcdState.UNSEEN;
        bench.losesState();

        assertThat(bench.content().wanted()).isFalse();
        assertThat(bench.view().runsUnasked()).isTrue();
    }

    @Test
    void aServerThatIsBeingStoppedDoesNotRunUnasked() {
        bench.serves().stop();
        assertThat(bench.view().wantsEtcd()).isFalse();
        assertThat(bench.view().runsUnasked()).isFalse();

        bench.restart();
        assertThat(bench.view().wantsEtcd()).isFalse();
        assertThat(bench.view().runsUnasked()).as("nobody stops it any more").isTrue();
    }

    // ---- Corosync ------------------------------------------------------------------------------

    @Test
    void theAgeOfTheMembershipIsThatOfTheLastAnswer() {
        assertThat(bench.view().membershipAge()).isEmpty();
        bench.serves().pass(Duration.ofSeconds(20)).peerIs(Membership.UNKNOWN);

        assertThat(bench.view().membershipAge()).contains(Duration.ofSeconds(20));
        assertThat(bench.view().membership()).as("what is decided on").isEqualTo(Bench.THERE);
        assertThat(bench.peerIs(Bench.THERE).view().membershipAge()).contains(Duration.ZERO);
    }

    // ---- another seat --------------------------------------------------------------------------

    /** North has no data; south leads alone and gives it every seat that it asks for. */
    private static Bench joiner() {
        Bench joiner = new Bench("none");
        joiner.peerIs(Bench.THERE).on(new Event.StartRequested());
        return offers(joiner, 12);
    }

    private static Bench offers(Bench joiner, long memberId) {
        NodeFacts leader = Sketch.south("sole 1:8 leading");
        return joiner.hears(
                new PeerMessage.Facts(
                        new NodeFacts(
                                leader.node(),
                                leader.boot(),
                                leader.replica(),
                                leader.server(),
                                leader.abdication(),
                                leader.claim(),
                                leader.released(),
                                new Offer.JoinToken(Sketch.NORTH, Sketch.NORTH_BOOT, memberId)),
                        Sketch.NORTH_BOOT));
    }

    /** For so long its etcd ends whenever it is seen, once a second. When it asked, in seconds. */
    private static List<Integer> asksWithin(int seconds, Bench joiner, Replica left) {
        List<Integer> asked = new ArrayList<>();
        for (int second = 0; second < seconds; second++) {
            joiner.pass(Duration.ofSeconds(1));
            joiner.replica = left instanceof Replica.Intact ? seated(joiner) : left;
            joiner.etcdIs(EtcdState.STOPPED);
            if (joiner.facts().offer() instanceof Offer.GivenBack(long memberId)) {
                asked.add(second);
                offers(joiner, memberId + 1);
            }
        }
        return asked;
    }

    /** A learner's log on the seat that it joined with last. */
    private static Replica seated(Bench joiner) {
        Replica.Intact log = (Replica.Intact) Sketch.north("learner 1:5").replica();
        return new Replica.Intact(
                log.lineage(),
                log.term(),
                log.lastIndex(),
                log.commitIndex(),
                log.role(),
                log.complete(),
                joiner.content().joinedAs());
    }

    /** Every request costs the leader, which serves alone, two changes of its member list. */
    @Test
    void aSeatThatNoServerWasStartedOnIsKeptUntilThereIsRoom() {
        Bench joiner = new Bench("none");
        joiner.hasRoomToJoin = false;
        joiner.peerIs(Bench.THERE).on(new Event.StartRequested());
        offers(joiner, 12);

        assertThat(asksWithin(600, joiner, new Replica.Missing())).isEmpty();
        assertThat(joiner.told).as("tried every 8 s").hasSizeBetween(70, 80);
        assertThat(joiner.view().sentence()).contains("not enough space");
        assertThat(joiner.notices(Notice.ActionFailed.class)).hasSize(1);

        joiner.hasRoomToJoin = true;
        joiner.pass(Duration.ofSeconds(8)).look();
        assertThat(joiner.server).as("on the seat it was offered").isEqualTo(EtcdState.LEADERLESS);
        assertThat(joiner.content().joinedAs()).isEqualTo(12);
    }

    @Test
    void anotherSeatIsAskedForLaterAndLater() {
        Bench joiner = joiner();
        List<Integer> asked = asksWithin(1200, joiner, new Replica.Damaged("half a snapshot"));

        assertThat(asked).startsWith(0, 8, 24, 56, 120, 248, 504, 804, 1104).hasSize(9);
        assertThat(joiner.view().sentence()).contains("300 s");
    }

    /** Its data may be good again in a moment, when there is room on its disk. */
    @Test
    void aLearnerThatDiesAtEveryStartIsStartedOnWhileItMayNotAsk() {
        Bench joiner = joiner();
        List<Integer> asked = asksWithin(1200, joiner, seated(joiner));

        assertThat(asked).hasSizeBetween(4, 9);
        joiner.told.clear();
        asksWithin(60, joiner, seated(joiner));
        assertThat(joiner.told).containsOnly("start").hasSizeGreaterThan(5);
    }

    @Test
    void aNodeThatVotedAsksForAnotherSeatAtOnce() {
        Bench joiner = joiner();
        asksWithin(600, joiner, new Replica.Missing());
        joiner.replica = seated(joiner);
        joiner.etcdIs(EtcdState.FOLLOWING);
        assertThat(asksWithin(60, joiner, new Replica.Missing()))
                .as("a learner that served for a moment")
                .isEmpty();

        joiner.replica = Sketch.north("unconfirmed 1:9").replica();
        joiner.etcdIs(EtcdState.FOLLOWING);
        assertThat(asksWithin(10, joiner, new Replica.Missing())).startsWith(0);
    }

    // ---- the first start of a pair -------------------------------------------------------------

    /** A set-up that failed on one node and was done on the other leaves a mark on both. */
    @Test
    void ofTwoNodesWithAMarkOneBegins() {
        Bench north = new Bench("none").peerIs(Bench.THERE).startedWithMark();
        Bench south = Bench.ofSouth("none").peerIs(Bench.THERE).startedWithMark();

        speak(north, south);

        assertThat(north.told).containsExactly("found");
        assertThat(south.told).isEmpty();
        assertThat(south.isMarked()).isTrue();

        north.replica = Sketch.north("sole 1:2").replica();
        north.etcdIs(EtcdState.LEADING);
        speak(north, south);

        assertThat(north.isMarked()).isFalse();
        assertThat(south.isMarked()).as("it can begin nothing beside data any more").isFalse();
        assertThat(south.told).isEmpty();
    }

    /** The plan may be applied on either node. */
    @ParameterizedTest
    @CsvSource({"true, false", "false, true"})
    void oneMarkOnEitherNodeLetsOneBegin(boolean onNorth, boolean onSouth) {
        Bench north = started(new Bench("none"), onNorth);
        Bench south = started(Bench.ofSouth("none"), onSouth);

        speak(north, south);

        assertThat(north.told).containsExactly("found");
        assertThat(south.told).isEmpty();
    }

    /** It begins by its own mark, and does not know that the peer might. */
    @Test
    void besideAnOlderReleaseNobodyBegins() {
        Bench north = started(new Bench("none"), true).hears("none");

        assertThat(north.told).isEmpty();
        assertThat(north.view().pending().map(VolatileState.Pending::decision))
                .contains(WaitFor.PEER_INSTALLS.decision());
    }

    /** A release that does not know the leave cannot read a file with it. */
    @Test
    void theLeaveToBeginIsNotStored() {
        Bench north = started(new Bench("none"), false).hears("none leaves-founding");

        assertThat(north.content().peer()).isInstanceOf(PeerView.FactsKnown.class);
        assertThat(((PeerView.FactsKnown) north.content().peer()).facts().offer())
                .isEqualTo(Offer.none());
    }

    @Test
    void withoutAMarkNobodyBegins() {
        Bench north = started(new Bench("none"), false);
        Bench south = started(Bench.ofSouth("none"), false);

        speak(north, south);

        assertThat(north.told).isEmpty();
        assertThat(south.told).isEmpty();
    }

    private static Bench started(Bench bench, boolean marked) {
        bench.peerIs(Bench.THERE);
        return marked ? bench.startedWithMark() : bench.on(new Event.StartRequested());
    }

    private static void speak(Bench north, Bench south) {
        for (int i = 0; i < 3; i++) {
            south.hears(north.view().message());
            north.hears(south.view().message());
        }
    }

    // ---- the wall clock ------------------------------------------------------------------------

    private static final Instant NOON = Instant.parse("2026-03-29T12:00:00Z");

    /**
     * Somebody sets the clock back while an incident goes on. What people read has another time
     * then; what is done, told and stored is the same.
     */
    @Test
    void aClockThatIsSetBackChangesNothingButWhatPeopleRead() {
        Bench steady = incident(InstantSource.fixed(NOON));
        Bench setBack =
                incident(
                        new InstantSource() {
                            private Instant now = NOON;

                            @Override
                            public Instant instant() {
                                now = now.minus(Duration.ofHours(1));
                                return now;
                            }
                        });

        assertThat(steady.told).contains("take over as 2");
        assertThat(setBack.told).isEqualTo(steady.told);
        assertThat(setBack.acknowledged).isEqualTo(steady.acknowledged);
        assertThat(setBack.fenceOrders).isEqualTo(steady.fenceOrders);
        assertThat(setBack.declaredOff).isEqualTo(steady.declaredOff);
        assertThat(setBack.view().message()).isEqualTo(steady.view().message());
        assertThat(setBack.view().sentence()).isEqualTo(steady.view().sentence());
        assertThat(setBack.notices.stream().map(Notice::getClass).toList())
                .isEqualTo(steady.notices.stream().map(Notice::getClass).toList());
        assertThat(withoutTimes(setBack.state())).isEqualTo(withoutTimes(steady.state()));
    }

    /** Every kind of event that carries a time of the wall clock. */
    private static Bench incident(InstantSource clock) {
        Bench bench = new Bench("two 1:7", new Policy(Policy.Shape.PAIR, true, 5));
        bench.wallClock = clock;
        bench.pacemakerMayFence().serves().reads(PowerReading.ON, true, Membership.UNKNOWN);
        bench.peerIs(Bench.GONE).stated(PeerProof.Statement.PEER_IS_OFF, PowerReading.ON);
        for (int i = 0; i < 9; i++) {
            bench.pass(Duration.ofSeconds(5)).look();
            bench.reads(PowerReading.OFF, true, Bench.GONE);
        }
        bench.fenced(
                new Event.FenceReading(
                        PowerReading.OFF, false, Duration.ofMillis(300), bench.now()));
        bench.etcdIs(EtcdState.LEADING).restart().peerIs(Bench.GONE);
        bench.stated(PeerProof.Statement.PEER_IS_OFF, PowerReading.OFF).fenced();
        return bench.pass(Duration.ofSeconds(5)).look();
    }

    private static String withoutTimes(State state) {
        return state.toString().replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z", "a time");
    }
}
