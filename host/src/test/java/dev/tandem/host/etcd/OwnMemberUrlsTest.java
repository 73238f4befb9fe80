package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdId;
import dev.tandem.host.etcd.api.EtcdMembers;
import dev.tandem.host.etcd.api.FakeEtcdApi;
import dev.tandem.host.etcd.api.MemberIdentity;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A pair of an earlier release, whose members are listed under the URL of the first link. */
class OwnMemberUrlsTest {
    private static final URI FIRST = URI.create("https://192.0.2.1:2380");
    private static final URI SECOND = URI.create("https://198.51.100.1:2380");
    private static final EtcdId PEER = new EtcdId(2);

    private final FakeEtcdApi etcd = new FakeEtcdApi(FakeEtcdApi.status(1, 2, 9, 9, false));
    private final List<EtcdMembers.Outcome> attempts = new ArrayList<>();
    private boolean serves = true;
    private boolean listens = true;
    private long generation = 1;

    private final OwnMemberUrls own =
            new OwnMemberUrls(
                    new MemberIdentity("m1", List.of(FIRST, SECOND)),
                    etcd,
                    () -> serves,
                    () -> listens,
                    () -> generation,
                    attempts::add);

    OwnMemberUrlsTest() {
        etcd.members.add(FakeEtcdApi.member(1, FIRST.toString(), false));
        etcd.members.add(FakeEtcdApi.member(2, "https://192.0.2.2:2380", false));
    }

    private EtcdApi.Member member(EtcdId id) {
        return etcd.members.stream().filter(each -> each.id().equals(id)).findFirst().orElseThrow();
    }

    @Test
    void aServerThatListensOnBothLinksIsListedUnderBothAndThePeersEntryIsLeftAlone() {
        own.look();
        own.look();

        assertThat(member(new EtcdId(1)).peerUrls()).containsExactly(FIRST, SECOND);
        assertThat(member(PEER).peerUrls()).hasSize(1);
        assertThat(etcd.changes).containsExactly("update");
        assertThat(attempts).hasSize(1);
    }

    /** The peer would be sent to a port that nobody opens. */
    @Test
    void aServerThatWasStartedWithOneUrlIsListedAfterItsNextStart() {
        listens = false;
        own.look();
        assertThat(etcd.changes).isEmpty();

        listens = true;
        generation = 2;
        own.look();
        assertThat(etcd.changes).containsExactly("update");
    }

    @Test
    void nothingIsAskedOfAServerThatDoesNotServeOrHasNoLeader() {
        serves = false;
        own.look();
        serves = true;
        etcd.readable = false;
        own.look();
        assertThat(etcd.changes).isEmpty();

        etcd.readable = true;
        own.look();
        assertThat(etcd.changes).containsExactly("update");
    }

    @Test
    void anUpdateThatDidNotHappenIsTriedAgain() {
        etcd.unclear = Optional.of("request timed out");
        etcd.takesEffect = false;
        own.look();

        etcd.unclear = Optional.empty();
        etcd.takesEffect = true;
        own.look();
        own.look();

        assertThat(etcd.changes).containsExactly("update", "update");
        assertThat(member(new EtcdId(1)).peerUrls()).containsExactly(FIRST, SECOND);
    }
}
