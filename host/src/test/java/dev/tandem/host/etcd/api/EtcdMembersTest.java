package dev.tandem.host.etcd.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EtcdMembersTest {
    private static final URI PEER = URI.create("https://192.0.2.2:2380");
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

        assertThat(members.addLearner(PEER))
                .isInstanceOfSatisfying(
                        EtcdMembers.Achieved.class,
                        achieved -> assertThat(achieved.how()).contains("request timed out"));
    }

    @Test
    void anAddThatFailedAndDidNotHappenIsAskedForAgain() {
        leader.unclear = Optional.of("request timed out");
        leader.takesEffect = false;

        assertThat(members.addLearner(PEER)).isInstanceOf(EtcdMembers.NotYet.class);
    }

    @Test
    void aLearnerThatNeverStartedIsNotAddedTwice() {
        leader.members.add(FakeEtcdApi.member(2, "", PEER.toString(), true));

        assertThat(members.addLearner(PEER)).isInstanceOf(EtcdMembers.Achieved.class);
        assertThat(leader.changes).isEmpty();
    }

    @Test
    void aLearnerThatHadStartedGetsANewIdentity() {
        leader.members.add(FakeEtcdApi.member(2, PEER.toString(), true));

        assertThat(members.addLearner(PEER)).isInstanceOf(EtcdMembers.Achieved.class);
        assertThat(leader.changes).containsExactly("remove", "add");
        assertThat(leader.members).noneMatch(each -> each.id().equals(LEARNER));
    }

    @Test
    void aPeerThatIsListedAsAVoterIsNotSilentlyMadeALearner() {
        leader.members.add(FakeEtcdApi.member(2, PEER.toString(), false));

        assertThat(members.addLearner(PEER)).isInstanceOf(EtcdMembers.Denied.class);
    }

    @Test
    void anAddressThatOnlyBeginsAlikeIsAnotherMember() {
        leader.members.add(FakeEtcdApi.member(2, PEER + "0", true));

        assertThat(members.addLearner(PEER)).isInstanceOf(EtcdMembers.Achieved.class);
        assertThat(leader.changes).containsExactly("add");
    }

    @Test
    void aListThatCannotBeReadMakesEverythingUnknown() {
        leader.readable = false;

        assertThat(members.addLearner(PEER)).isInstanceOf(EtcdMembers.Unknown.class);
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
