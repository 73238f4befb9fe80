package dev.tandem.host.etcd.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EtcdMembersTest {
    private static final URI PEER = URI.create("https://192.0.2.2:2380");
    private static final URI PEERS_OTHER = URI.create("https://198.51.100.2:2380");
    private static final MemberIdentity THE_PEER = new MemberIdentity("m2", List.of(PEER));
    private static final MemberIdentity PEER_WITH_TWO_LINKS =
            new MemberIdentity("m2", List.of(PEER, PEERS_OTHER));
    private static final EtcdId LEARNER = new EtcdId(2);

    private final FakeEtcdApi leader = new FakeEtcdApi(FakeEtcdApi.status(1, 1, 100, 100, false));
    private final FakeEtcdApi learner = new FakeEtcdApi(FakeEtcdApi.status(2, 1, 100, 100, true));
    private final EtcdMembers members = new EtcdMembers(leader, Duration.ofSeconds(1));

    EtcdMembersTest() {
        leader.members.add(FakeEtcdApi.member(1, "https://192.0.2.1:2380", false));
    }

    @Test
    void anAddThatFailedButHappenedIsAchieved() {
        leader.unclear = Optional.of("request timed out");

        assertThat(members.addLearner(THE_PEER))
                .isInstanceOfSatisfying(
                        EtcdMembers.Achieved.class,
                        achieved -> assertThat(achieved.how()).contains("request timed out"));
    }

    @Test
    void anAddThatFailedAndDidNotHappenIsAskedForAgain() {
        leader.unclear = Optional.of("request timed out");
        leader.takesEffect = false;

        assertThat(members.addLearner(THE_PEER)).isInstanceOf(EtcdMembers.NotYet.class);
    }

    @Test
    void aLearnerThatNeverStartedIsNotAddedTwice() {
        leader.members.add(FakeEtcdApi.member(2, "", PEER.toString(), true));

        assertThat(members.addLearner(THE_PEER)).isInstanceOf(EtcdMembers.Achieved.class);
        assertThat(leader.changes).isEmpty();
    }

    @Test
    void aLearnerThatHadStartedGetsANewIdentity() {
        leader.members.add(FakeEtcdApi.member(2, PEER.toString(), true));

        assertThat(members.addLearner(THE_PEER)).isInstanceOf(EtcdMembers.Achieved.class);
        assertThat(leader.changes).containsExactly("remove", "add");
        assertThat(leader.members).noneMatch(each -> each.id().equals(LEARNER));
    }

    @Test
    void aPeerThatIsListedAsAVoterIsNotSilentlyMadeALearner() {
        leader.members.add(FakeEtcdApi.member(2, PEER.toString(), false));

        assertThat(members.addLearner(THE_PEER)).isInstanceOf(EtcdMembers.Denied.class);
    }

    @Test
    void anAddressThatOnlyBeginsAlikeIsAnotherMember() {
        leader.members.add(FakeEtcdApi.member(3, PEER + "0", true));

        assertThat(members.addLearner(THE_PEER)).isInstanceOf(EtcdMembers.Achieved.class);
        assertThat(leader.changes).containsExactly("add");
    }

    @Test
    void aLearnerIsAddedWithAllOfItsUrls() {
        assertThat(members.addLearner(PEER_WITH_TWO_LINKS))
                .isInstanceOf(EtcdMembers.Achieved.class);

        assertThat(leader.members.getLast().peerUrls()).containsExactly(PEER, PEERS_OTHER);
    }

    /** Else the leader of a pair whose addresses change would add it a second time. */
    @Test
    void aVoterIsFoundByItsNameWhereItsUrlsAreOthers() {
        leader.members.add(FakeEtcdApi.member(2, "https://203.0.113.9:2380", false));

        assertThat(members.addLearner(THE_PEER)).isInstanceOf(EtcdMembers.Denied.class);
    }

    @Test
    void aMemberOfOneUrlIsListedUnderAllOnce() {
        leader.members.add(FakeEtcdApi.member(2, PEER.toString(), false));

        assertThat(members.list(PEER_WITH_TWO_LINKS)).isInstanceOf(EtcdMembers.Achieved.class);
        assertThat(members.list(PEER_WITH_TWO_LINKS)).isInstanceOf(EtcdMembers.Achieved.class);

        assertThat(leader.changes).containsExactly("update");
        assertThat(leader.members.getLast().peerUrls()).containsExactly(PEER, PEERS_OTHER);
        assertThat(leader.members.getLast().learner()).isFalse();
    }

    /** etcd sorts what it is given. */
    @Test
    void theOrderOfUrlsIsNoReasonToListAMemberAgain() {
        leader.members.add(
                new EtcdApi.Member(LEARNER, "m2", List.of(PEERS_OTHER, PEER), List.of(), false));

        assertThat(members.list(PEER_WITH_TWO_LINKS)).isInstanceOf(EtcdMembers.Achieved.class);
        assertThat(leader.changes).isEmpty();
    }

    @Test
    void anUpdateThatTheListDoesNotShowIsNotAchieved() {
        leader.members.add(FakeEtcdApi.member(2, PEER.toString(), false));
        leader.takesEffect = false;

        assertThat(members.list(PEER_WITH_TWO_LINKS)).isInstanceOf(EtcdMembers.NotYet.class);
    }

    @Test
    void aListThatCannotBeReadMakesEverythingUnknown() {
        leader.readable = false;

        assertThat(members.addLearner(THE_PEER)).isInstanceOf(EtcdMembers.Unknown.class);
        assertThat(members.remove(LEARNER)).isInstanceOf(EtcdMembers.Unknown.class);
        assertThat(leader.changes).isEmpty();
    }

    @Test
    void aLearnerOneEntryBehindIsNotPromoted() {
        leader.members.add(FakeEtcdApi.member(2, PEER.toString(), true));
        learner.status = FakeEtcdApi.status(2, 1, 100, 99, true);

        assertThat(members.promote(LEARNER, learner))
                .isEqualTo(new EtcdMembers.NotYet("the learner has applied 99 of 100"));
        assertThat(leader.changes).isEmpty();

        learner.status = FakeEtcdApi.status(2, 1, 100, 100, true);
        assertThat(members.promote(LEARNER, learner)).isInstanceOf(EtcdMembers.Achieved.class);
    }

    @Test
    void onlyTheLeaderIsAskedToPromoteAndOnlyForTheServerThatWasListed() {
        leader.members.add(FakeEtcdApi.member(2, PEER.toString(), true));
        learner.status = FakeEtcdApi.status(3, 1, 100, 100, true);
        assertThat(members.promote(LEARNER, learner)).isInstanceOf(EtcdMembers.Denied.class);

        leader.status = FakeEtcdApi.status(1, 5, 100, 100, false);
        assertThat(members.promote(LEARNER, learner)).isInstanceOf(EtcdMembers.NotYet.class);
        assertThat(leader.changes).isEmpty();
    }

    @Test
    void theLastVoterNeverLeaves() {
        leader.members.add(FakeEtcdApi.member(2, PEER.toString(), true));

        assertThat(members.remove(new EtcdId(1))).isInstanceOf(EtcdMembers.Denied.class);
        assertThat(members.remove(LEARNER)).isInstanceOf(EtcdMembers.Achieved.class);
        assertThat(members.remove(LEARNER)).isInstanceOf(EtcdMembers.Achieved.class);
        assertThat(leader.changes).containsExactly("remove");
    }
}
