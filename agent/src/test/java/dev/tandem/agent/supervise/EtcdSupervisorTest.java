package dev.tandem.agent.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.state.DurableStore;
import dev.tandem.core.BootId;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import dev.tandem.core.supervise.KubernetesReport;
import dev.tandem.core.supervise.KubernetesReport.PeerState;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.VolatileState;
import dev.tandem.host.etcd.EtcdProcess;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import dev.tandem.host.etcd.api.EtcdId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The supervisor with an etcd of paper: which deeds follow from which events, and in which order.
 */
class EtcdSupervisorTest extends EtcdSupervisorFixture {
    @Test
    void aFencedPeerIsTheTriggerAndTheServerIsStoppedBeforeItsLogIsRead() {
        SupervisorOnPaper supervisor = serving(supervisor());

        supervisor.membership(new Membership(true, false, true, false));
        assertThat(etcd.told).containsExactly("start in place");
        fenced(supervisor, "fence_tandem", PowerReading.OFF);

        assertThat(etcd.told).containsExactly("start in place", "kill", "take over as epoch 2");
        assertThat(supervisor.memory().claim()).isInstanceOf(Claim.TakeOver.class);
        assertThat(supervisor.sentence()).contains("takes over");
    }

    @Test
    void aPeerThatIsMerelySilentIsNoReasonToTakeOver() {
        SupervisorOnPaper supervisor = serving(supervisor());

        supervisor.membership(new Membership(true, false, true, false));
        fenced(supervisor, "fence_redfish", PowerReading.UNKNOWN);
        etcd.server = EtcdState.LEADERLESS;
        supervisor.saw(etcd.look());

        assertThat(etcd.told).containsExactly("start in place");
        assertThat(supervisor.sentence()).contains("once south is confirmed off");
    }

    @Test
    void aTakeOverThatIsUnderWayIsNotBegunAgain() {
        SupervisorOnPaper supervisor = serving(supervisor());
        supervisor.membership(new Membership(true, false, true, false));
        fenced(supervisor, "fence_tandem", PowerReading.OFF);

        supervisor.saw(etcd.look());
        supervisor.membership(new Membership(true, false, true, false));

        assertThat(etcd.told).containsExactly("start in place", "kill", "take over as epoch 2");
    }

    @Test
    void anAgentThatIsRestartedRemembersTheReceiptAndThePeer() {
        SupervisorOnPaper first = serving(supervisor());
        fenced(first, "fence_tandem", PowerReading.OFF);

        SupervisorOnPaper second = supervisor();
        second.membership(new Membership(true, false, true, false));

        assertThat(etcd.told).endsWith("kill", "take over as epoch 2");
    }

    @Test
    void aSightFromBeforeAStartIsHistory() {
        SupervisorOnPaper supervisor = serving(supervisor());
        EtcdProcess.EtcdObservation old = etcd.look();
        supervisor.membership(new Membership(true, false, true, false));
        fenced(supervisor, "fence_tandem", PowerReading.OFF);

        supervisor.saw(old);

        assertThat(etcd.told).containsExactly("start in place", "kill", "take over as epoch 2");
    }

    @Test
    void aServerThatDiedIsStartedAgainOnItsOwnDataAtOnceAndLaterWithPauses() {
        SupervisorOnPaper supervisor = serving(supervisor());

        died(supervisor);
        assertThat(etcd.told).containsExactly("start in place", "start in place");
        died(supervisor);
        assertThat(etcd.told).hasSize(2);
        nanos.addAndGet(2_000_000_000L);
        supervisor.saw(etcd.look());

        assertThat(etcd.told).hasSize(3).containsOnly("start in place");
    }

    @Test
    void aServerThatHangsIsKilledAndStartedAgainOnItsOwnData() {
        SupervisorOnPaper supervisor = serving(supervisor());

        etcd.server = EtcdState.HUNG;
        supervisor.saw(etcd.look());

        assertThat(etcd.told).containsExactly("start in place", "kill", "start in place");
        assertThat(supervisor.unfit()).isFalse();
    }

    @Test
    void aServerThatCannotBeKilledMakesTheNodeUnfitUntilItIsGone() {
        SupervisorOnPaper supervisor = serving(supervisor());
        etcd.cannotBeKilled = true;

        etcd.server = EtcdState.HUNG;
        supervisor.saw(etcd.look());
        supervisor.saw(etcd.look());

        assertThat(etcd.told).as("not again").containsExactly("start in place", "kill");
        assertThat(supervisor.unfit()).isTrue();
        assertThat(supervisor.sentence()).contains("cannot stop etcd");
        died(supervisor);
        assertThat(supervisor.unfit()).isFalse();
    }

    @Test
    void aServerThatBelievesInALeaderWhileThePeerKnowsNoneForLongHangs() {
        SupervisorOnPaper supervisor = serving(supervisor());

        for (int second = 0; second < 30; second++) {
            hearLeaderless(supervisor);
            supervisor.saw(etcd.look());
            nanos.addAndGet(1_000_000_000L);
        }
        assertThat(etcd.told).containsExactly("start in place");
        nanos.addAndGet(1_000_000_000L);
        hearLeaderless(supervisor);

        assertThat(etcd.told).containsExactly("start in place", "kill", "start in place");
        supervisor.saw(etcd.look());
        assertThat(etcd.told).as("the new server is not held to the old one's word").hasSize(3);
    }

    @Test
    void oneOldWordOfThePeerIsNoContradictionHoweverLongAgo() {
        SupervisorOnPaper supervisor = serving(supervisor());

        hearLeaderless(supervisor);
        nanos.addAndGet(300_000_000_000L);
        supervisor.saw(etcd.look());

        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void aNodeWhoseServerIsSilentDoesNotLeadARecoveryFromThePeersWord() {
        SupervisorOnPaper supervisor = serving(supervisor());
        etcd.server = EtcdState.LEADERLESS;
        supervisor.saw(etcd.look());
        etcd.silent = true;
        supervisor.saw(etcd.look());

        hearsLeaderlessFor(supervisor, 20);
        supervisor.saw(etcd.look());

        assertThat(supervisor.sentence()).doesNotContain("is the one to take over");
        etcd.silent = false;
        supervisor.saw(etcd.look());
        assertThat(supervisor.sentence()).contains("is the one to take over");
    }

    @Test
    void portsAreNotTakenForCutWhileThePeersServerDiesAgainAndAgain() {
        SupervisorOnPaper supervisor = serving(supervisor());
        etcd.server = EtcdState.LEADERLESS;
        supervisor.saw(etcd.look());

        for (int i = 0; i < 5; i++) {
            hear(supervisor, EtcdState.LEADERLESS);
            nanos.addAndGet(2_000_000_000L);
            hear(supervisor, EtcdState.STOPPED);
            nanos.addAndGet(8_000_000_000L);
        }
        hear(supervisor, EtcdState.LEADERLESS);
        supervisor.saw(etcd.look());
        assertThat(supervisor.sentence()).doesNotContain("is the one to take over");

        hearsLeaderlessFor(supervisor, 20);
        supervisor.saw(etcd.look());
        assertThat(supervisor.sentence()).contains("is the one to take over");
    }

    @Test
    void aServerThatRunsAndLacksOnlyThePeersVoteWaitsForThePeer() {
        SupervisorOnPaper supervisor = supervisor();
        supervisor.membership(new Membership(true, true, true, false));
        PeerMessage _ = supervisor.asked(new PeerMessage.Facts(peer(), BOOT));

        assertThat(supervisor.waitsForOthers()).as("nothing is wanted yet").isFalse();
        supervisor.startRequested();
        assertThat(supervisor.waitsForOthers()).isTrue();
        supervisor.membership(new Membership(true, false, true, false));
        assertThat(supervisor.waitsForOthers()).as("the peer is gone and owes nothing").isFalse();
    }

    @Test
    void aNodeThatRefusesWaitsForAPersonAndHoldsNobodyUp() {
        etcd.replica = new Replica.Damaged("at byte 4048");
        SupervisorOnPaper supervisor = supervisor();
        supervisor.membership(new Membership(true, true, true, false));
        PeerMessage _ = supervisor.asked(new PeerMessage.Facts(peer(new Replica.Missing()), BOOT));

        supervisor.startRequested();

        assertThat(supervisor.sentence()).contains("neither").contains("complete replica");
        assertThat(supervisor.waitsForOthers()).isTrue();
    }

    @Test
    void aNodeThatBootedAloneSaysWhomItWaitsFor() {
        SupervisorOnPaper supervisor = supervisor();

        supervisor.membership(new Membership(true, false, false, true));

        assertThat(supervisor.sentence()).contains("has not met south since");
        assertThat(etcd.told).isEmpty();
    }

    @Test
    void whatPacemakerStoppedStaysStopped() {
        SupervisorOnPaper supervisor = serving(supervisor());

        supervisor.stopRequested();
        died(supervisor);

        assertThat(etcd.told).containsExactly("start in place");
    }

    @Test
    void theClaimGoesWhenTheNewEpochServes() {
        SupervisorOnPaper supervisor = serving(supervisor());
        supervisor.membership(new Membership(true, false, true, false));
        fenced(supervisor, "fence_tandem", PowerReading.OFF);

        etcd.replica =
                new Replica.Intact(lineage(etcd.replica), 3, 12, 12, MemberRole.SOLE, true, 7);
        etcd.server = EtcdState.LEADING;
        etcd.starting = false;
        supervisor.saw(etcd.look());

        assertThat(supervisor.memory().claim()).isInstanceOf(Claim.None.class);
        assertThat(new DurableStore(state.resolve("memory.json")).read(BOOT).claim())
                .isInstanceOf(Claim.None.class);
    }

    @Test
    void aClaimOnAnEpochThatTheDataNeverEnteredIsIgnoredAndForgotten() {
        DurableStore store = new DurableStore(state.resolve("memory.json"));
        store.write(
                store.read(BOOT)
                        .with(draft ->
                                draft.claim =
                                        new Claim.TakeOver(
                                                LINEAGE.takenOver(SELF, BOOT, 6).current())));

        SupervisorOnPaper supervisor = serving(supervisor());

        assertThat(etcd.told).containsExactly("start in place");
        assertThat(store.read(BOOT).claim()).isInstanceOf(Claim.None.class);
        assertThat(supervisor.memory().claim()).isInstanceOf(Claim.None.class);
    }

    @Test
    void anEmptyClusterIsBegunOnlyBesideAPeerThatHasNothingEither() {
        etcd.replica = new Replica.Missing();
        installing = true;
        SupervisorOnPaper supervisor = supervisor();
        supervisor.membership(new Membership(true, true, true, false));

        supervisor.startRequested();
        PeerMessage _ =
                supervisor.asked(new PeerMessage.Facts(peer(log(MemberRole.SOLE, 10)), BOOT));
        assertThat(etcd.told).doesNotContain("found");
        PeerMessage _ = supervisor.asked(new PeerMessage.Facts(peer(new Replica.Missing()), BOOT));
        assertThat(etcd.told).as("it may found one itself").doesNotContain("found");
        PeerMessage _ =
                supervisor.asked(
                        new PeerMessage.Facts(
                                peer(new Replica.Missing()).offering(new Offer.Founding(true)),
                                BOOT));

        assertThat(etcd.told).endsWith("found");
    }

    @Test
    void anInvitationThatWasGivenWhileThePeerAnsweredIsNotTakenBack() {
        etcd.replica = log(MemberRole.SOLE, 10);
        PeerMessage empty = new PeerMessage.Facts(peer(new Replica.Missing()), BOOT);
        SupervisorOnPaper supervisor = supervisor();
        supervisor.membership(new Membership(true, true, true, false));
        PeerMessage _ = supervisor.asked(empty);
        supervisor.startRequested();
        etcd.server = EtcdState.LEADING;
        etcd.starting = false;
        supervisor.saw(etcd.look());
        supervisor.answered(supervisor.question(), empty);
        assertThat(supervisor.steps).containsExactly(new Step.AddLearner(PEER_BOOT));

        VolatileState.Question asked = supervisor.question();
        etcd.members = List.of(new Member(new EtcdId(9), "", List.of(PEER_URL), List.of(), true));
        supervisor.saw(etcd.look());
        supervisor.stepped(
                supervisor.steps.getFirst(),
                new MembershipChanges.Led(
                        Optional.of(new Offer.JoinToken(PEER, PEER_BOOT, 9)), true, "added"));
        supervisor.answered(asked, empty);

        assertThat(supervisor.steps).as("nothing but the offer").hasSize(1);
    }

    @Test
    void aStepThatFailedIsNotTriedAgainAtOnce() {
        SupervisorOnPaper supervisor = serving(supervisor());
        etcd.server = EtcdState.LEADING;
        etcd.members =
                List.of(new Member(new EtcdId(8), "south", List.of(PEER_URL), List.of(), false));
        supervisor.saw(etcd.look());
        PeerMessage leaving =
                new PeerMessage.Facts(peer(PEER_BOOT, new Abdication.Departure(1)), BOOT);
        PeerMessage _ = supervisor.asked(leaving);
        supervisor.stepped(supervisor.steps.getFirst(), MembershipChanges.Led.failed("refused"));

        PeerMessage _ = supervisor.asked(leaving);
        assertThat(supervisor.steps).hasSize(1);

        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        PeerMessage _ = supervisor.asked(leaving);
        assertThat(supervisor.steps).hasSize(2);
    }

    @Test
    void aPeerThatWantsToLeaveIsLetGoThoughEveryAnswerOfItsIsOvertaken() {
        SupervisorOnPaper supervisor = serving(supervisor());
        etcd.server = EtcdState.LEADING;
        etcd.members =
                List.of(new Member(new EtcdId(8), "south", List.of(PEER_URL), List.of(), false));
        supervisor.saw(etcd.look());
        VolatileState.Question question = supervisor.question();
        PeerMessage leaving =
                new PeerMessage.Facts(peer(PEER_BOOT, new Abdication.Departure(1)), BOOT);

        PeerMessage _ = supervisor.asked(leaving);
        supervisor.answered(question, leaving);

        assertThat(supervisor.steps).containsExactly(new Step.RemovePeer(8));
    }

    @Test
    void kubernetesLearnsOfAFenceOnceTheSurvivorServesAloneAndOfTheReturnFromThePeerItself() {
        SupervisorOnPaper supervisor = serving(supervisor());
        assertThat(supervisor.forKubernetes())
                .isEqualTo(new KubernetesReport(true, BOOT, new PeerState.Alive(PEER_BOOT)));

        supervisor.membership(new Membership(true, false, true, false));
        assertThat(supervisor.forKubernetes().peer()).isEqualTo(new PeerState.Unsure());

        fenced(supervisor, "fence_tandem", PowerReading.OFF);
        etcd.server = EtcdState.LEADING;
        supervisor.saw(etcd.look());
        assertThat(supervisor.forKubernetes())
                .isEqualTo(new KubernetesReport(false, BOOT, new PeerState.Off(PEER_BOOT)));

        etcd.replica = log(MemberRole.SOLE, 11);
        supervisor.saw(etcd.look());
        assertThat(supervisor.forKubernetes())
                .isEqualTo(new KubernetesReport(true, BOOT, new PeerState.Off(PEER_BOOT)));

        supervisor.membership(new Membership(true, true, true, false));
        assertThat(supervisor.forKubernetes().peer()).isEqualTo(new PeerState.Unsure());

        BootId next = new BootId("boot-south-2");
        PeerMessage _ =
                supervisor.asked(new PeerMessage.Facts(peer(next, Abdication.none()), BOOT));
        assertThat(supervisor.forKubernetes().peer()).isEqualTo(new PeerState.Alive(next));
    }

    @Test
    void kubernetesLearnsWhatAPersonHasSeenUnlessTheBmcSaysOtherwise() {
        SupervisorOnPaper supervisor = serving(supervisor());
        supervisor.membership(new Membership(true, false, true, false));

        supervisor.stated(PeerProof.Statement.PEER_IS_OFF, PowerReading.UNKNOWN, "somebody");
        assertThat(supervisor.forKubernetes().peer()).isEqualTo(new PeerState.Off(PEER_BOOT));

        supervisor.peerPower(PowerReading.ON);
        assertThat(supervisor.forKubernetes().peer()).isEqualTo(new PeerState.Unsure());
    }

    @Test
    void kubernetesIsNotToldOfADeparture() {
        SupervisorOnPaper supervisor = serving(supervisor());

        PeerMessage _ =
                supervisor.asked(
                        new PeerMessage.Facts(peer(PEER_BOOT, new Abdication.Departure(1)), BOOT));
        supervisor.membership(new Membership(true, false, true, false));

        assertThat(supervisor.forKubernetes().peer()).isEqualTo(new PeerState.Unsure());
    }

    private static NodeFacts peer(BootId boot, Abdication abdication) {
        NodeFacts usual = peer();
        return new NodeFacts(
                PEER,
                boot,
                usual.replica(),
                usual.server(),
                abdication,
                usual.claim(),
                usual.released(),
                usual.offer());
    }

    @Test
    void onlyThePlanLetsTheNodeThatServedLastStartBesideAPeerThatIsHeldOff() {
        etcd.replica = log(MemberRole.SOLE, 10);
        SupervisorOnPaper cautious = supervisor();
        cautious.membership(new Membership(true, false, false, true));
        cautious.peerIsHeldOff();
        assertThat(cautious.declaredOff).isZero();

        policy = new Policy(Policy.Shape.PAIR, true, 5);
        SupervisorOnPaper allowed = supervisor();
        allowed.membership(new Membership(true, false, false, true));
        allowed.peerPower(PowerReading.OFF);
        assertThat(allowed.declaredOff).as("one reading").isZero();
        allowed.peerIsHeldOff();
        assertThat(allowed.declaredOff).isPositive();

        etcd.replica = log(MemberRole.ONE_OF_TWO, 10);
        SupervisorOnPaper other = supervisor();
        other.membership(new Membership(true, false, false, true));
        other.peerIsHeldOff();
        assertThat(other.declaredOff).as("the peer may have served last").isZero();
    }

    @Test
    void aSeatWhoseDataAreGoneIsGivenBackAndNotUsedTwice() {
        etcd.replica = new Replica.Missing();
        SupervisorOnPaper supervisor = invited(supervisor(), 5);
        assertThat(etcd.told).containsExactly("join again");

        etcd.replica = new Replica.Damaged("half a snapshot");
        died(supervisor);

        assertThat(etcd.told).containsExactly("join again");
        assertThat(supervisor.facts().offer()).isEqualTo(new Offer.GivenBack(5));
        assertThat(supervisor().memory().joinedAs()).as("an agent that is restarted").isEqualTo(5);

        invited(supervisor, 6);
        assertThat(etcd.told).containsExactly("join again", "join again");
        assertThat(supervisor.facts().offer()).isEqualTo(Offer.none());
    }

    @Test
    void aSeatIsKeptWhileThereIsNoRoomToJoin() {
        etcd.replica = new Replica.Missing();
        etcd.hasRoomToJoin = false;
        SupervisorOnPaper supervisor = invited(supervisor(), 5);
        nanos.addAndGet(Duration.ofSeconds(9).toNanos());
        supervisor.saw(etcd.look());
        assertThat(etcd.told).isEmpty();
        assertThat(supervisor.facts().offer()).isEqualTo(Offer.none());

        etcd.hasRoomToJoin = true;
        nanos.addAndGet(Duration.ofSeconds(9).toNanos());
        supervisor.saw(etcd.look());
        assertThat(etcd.told).containsExactly("join again");
        assertThat(supervisor.memory().joinedAs()).isEqualTo(5);
    }

    @Test
    void aLearnerThatDiesAtEveryStartAsksForAnotherSeat() {
        etcd.replica = new Replica.Missing();
        SupervisorOnPaper supervisor = invited(supervisor(), 5);
        etcd.replica = new Replica.Intact(LINEAGE, 2, 5, 5, MemberRole.LEARNER, false, 5);
        for (int death = 1; death < Policy.PAIR.deathsBeforeStandDown(); death++) {
            died(supervisor);
            nanos.addAndGet(Duration.ofSeconds(9).toNanos());
            supervisor.saw(etcd.look());
        }
        assertThat(etcd.told.getLast()).isEqualTo("start in place");
        int starts = etcd.told.size();

        died(supervisor);
        nanos.addAndGet(Duration.ofSeconds(9).toNanos());
        supervisor.saw(etcd.look());
        assertThat(etcd.told).hasSize(starts);
        assertThat(supervisor.facts().offer()).isEqualTo(new Offer.GivenBack(5));

        invited(supervisor, 6);
        assertThat(etcd.told.getLast()).isEqualTo("join again");
        assertThat(supervisor.facts().offer()).isEqualTo(Offer.none());
    }

    @Test
    void aJoinThatTakesItsTimeIsNotBegunAgain() {
        etcd.replica = new Replica.Missing();
        SupervisorOnPaper supervisor = invited(supervisor(), 5);

        nanos.addAndGet(Duration.ofMinutes(10).toNanos());
        supervisor.saw(etcd.look());
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        supervisor.saw(etcd.look());

        assertThat(etcd.told).containsExactly("join again");
        assertThat(supervisor.view().patience()).isGreaterThan(Duration.ofMinutes(10));
    }

    @Test
    void aLearnerThatIsNotHeardIsStartedAgainOnWhatItHasLearnt() {
        etcd.replica = new Replica.Missing();
        SupervisorOnPaper supervisor = invited(supervisor(), 5);
        long joined = etcd.look().generation();

        supervisor.unheard(joined - 1);
        assertThat(etcd.told).as("word of an earlier server").containsExactly("join again");
        supervisor.unheard(joined);
        assertThat(etcd.told).containsExactly("join again", "kill", "start in place");
        supervisor.unheard(joined);
        assertThat(etcd.told).as("once is enough").hasSize(3);
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        supervisor.saw(etcd.look());
        assertThat(etcd.told).as("it is still learning").hasSize(3);
    }

    @Test
    void aLearnerThatServesOrIsToStopIsNotStartedAgain() {
        etcd.replica = new Replica.Missing();
        SupervisorOnPaper supervisor = invited(supervisor(), 5);
        etcd.server = EtcdState.FOLLOWING;
        etcd.starting = false;
        supervisor.unheard(etcd.look().generation());
        assertThat(etcd.told).as("which nobody had seen yet").containsExactly("join again");

        supervisor.stopRequested();
        supervisor.unheard(etcd.look().generation());
        assertThat(etcd.told).doesNotContain("start in place");
    }

    @Test
    void whoIsConfirmedLooksAtItselfAtOnce() {
        etcd.replica = new Replica.Intact(LINEAGE, 2, 10, 10, MemberRole.LEARNER, false, 7);
        SupervisorOnPaper supervisor = serving(supervisor());
        int before = supervisor.looks;

        PeerMessage _ = supervisor.asked(new PeerMessage.Facts(offering(Offer.none()), BOOT));
        assertThat(supervisor.looks).isEqualTo(before);
        PeerMessage _ =
                supervisor.asked(
                        new PeerMessage.Facts(offering(new Offer.Confirmation(7, 10)), BOOT));
        assertThat(supervisor.looks).isEqualTo(before + 1);

        etcd.replica = new Replica.Intact(LINEAGE, 2, 10, 10, MemberRole.ONE_OF_TWO, false, 7);
        supervisor.saw(etcd.look());
        PeerMessage _ =
                supervisor.asked(
                        new PeerMessage.Facts(offering(new Offer.Confirmation(7, 10)), BOOT));
        assertThat(etcd.told).endsWith("mark complete");
        assertThat(supervisor.looks).isEqualTo(before + 1);
    }

    private static NodeFacts offering(Offer offer) {
        return new NodeFacts(
                PEER,
                PEER_BOOT,
                log(MemberRole.ONE_OF_TWO, 10),
                EtcdState.LEADING,
                Abdication.none(),
                Claim.none(),
                0,
                offer);
    }

    private static SupervisorOnPaper invited(SupervisorOnPaper supervisor, long seat) {
        supervisor.membership(new Membership(true, true, true, false));
        supervisor.startRequested();
        NodeFacts leader = peer(log(MemberRole.SOLE, 10));
        NodeFacts inviting =
                new NodeFacts(
                        PEER,
                        PEER_BOOT,
                        leader.replica(),
                        EtcdState.LEADING,
                        Abdication.none(),
                        Claim.none(),
                        0,
                        new Offer.JoinToken(SELF, BOOT, seat));
        PeerMessage _ = supervisor.asked(new PeerMessage.Facts(inviting, BOOT));
        return supervisor;
    }

    @Test
    void ofTwoHistoriesThePeersIsKeptWhenAPersonSaysSoAndNotBefore() {
        Lineage mine = LINEAGE.takenOver(SELF, BOOT, 6);
        Lineage theirs = LINEAGE.takenOver(PEER, PEER_BOOT, 7);
        etcd.replica = new Replica.Intact(mine, 2, 9, 9, MemberRole.SOLE, true, 7);
        SupervisorOnPaper supervisor = supervisor();
        supervisor.membership(new Membership(true, true, true, false));
        assertThat(supervisor.view().fork()).as("a peer that was not heard").isEmpty();
        NodeFacts serving = peer(new Replica.Intact(theirs, 2, 12, 12, MemberRole.SOLE, true, 8));
        PeerMessage _ =
                supervisor.asked(
                        new PeerMessage.Facts(
                                new NodeFacts(
                                        PEER,
                                        PEER_BOOT,
                                        serving.replica(),
                                        EtcdState.LEADING,
                                        Abdication.none(),
                                        Claim.none(),
                                        0,
                                        new Offer.JoinToken(SELF, BOOT, 9)),
                                BOOT));
        supervisor.startRequested();

        assertThat(etcd.told).isEmpty();
        assertThat(supervisor.view().fork().orElseThrow().theirs().lastIndex()).isEqualTo(12);

        supervisor.stated(PeerProof.Statement.KEEP_PEERS_HISTORY, PowerReading.ON, "somebody");

        assertThat(etcd.told).containsExactly("join again");
    }

    @Test
    void whoServesOrAgreesWithItsPeerHasNothingToChoose() {
        assertThat(serving(supervisor()).view().fork()).isEmpty();

        etcd.server = EtcdState.STOPPED;
        SupervisorOnPaper again = supervisor();
        PeerMessage _ = again.asked(new PeerMessage.Facts(peer(), BOOT));
        assertThat(again.view().fork()).isEmpty();
    }
}
