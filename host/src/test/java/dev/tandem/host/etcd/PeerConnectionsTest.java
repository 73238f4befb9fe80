package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Replica;
import dev.tandem.host.Commands;
import dev.tandem.host.etcd.EtcdProcess.EtcdObservation;
import dev.tandem.host.etcd.EtcdProcess.Figures;
import dev.tandem.host.etcd.PeerConnections.Outcome;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import dev.tandem.host.etcd.api.FakeEtcdApi;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PeerConnectionsTest {
    private static final String ONE = "ESTAB 0 0 10.0.0.1:2380 10.0.0.2:35380\n";

    private final List<String> ran = new ArrayList<>();
    private final List<Outcome> told = new ArrayList<>();
    private Commands.Output answer = new Commands.Output(0, ONE + ONE, "");
    private long seconds;
    private PeerConnections connections = connections("10.0.0.2", "10.0.1.2");

    @Test
    void theyAreClosedWhenTwoElectionsFailedWhileThePeerIsPresent() {
        see(EtcdState.LEADERLESS);
        seconds = 1;
        see(EtcdState.LEADERLESS);
        assertThat(ran).isEmpty();
        assertThat(connections.waiting()).isTrue();

        seconds = 2;
        see(EtcdState.LEADERLESS);

        assertThat(ran)
                .containsExactly(
                        "ss --kill --tcp --numeric --no-header state connected ( sport = :2380 or"
                                + " dport = :2380 ) and ( dst 10.0.0.2 or dst 10.0.1.2 )");
        assertThat(told).containsExactly(new Outcome(2, ""));
    }

    @Test
    void addressesOfTheNewProtocolAreInBrackets() {
        connections = connections("fd00::2", "fd01::2");
        leaderlessFor(2);

        assertThat(ran.getFirst())
                .endsWith("( dst [fd00:0:0:0:0:0:0:2] or dst [fd01:0:0:0:0:0:0:2] )");
    }

    @Test
    void aLeaderBeginsTheCountAgain() {
        see(EtcdState.LEADERLESS);
        seconds = 1;
        see(EtcdState.FOLLOWING);
        seconds = 3;
        see(EtcdState.LEADERLESS);
        assertThat(ran).isEmpty();

        seconds = 5;
        see(EtcdState.LEADERLESS);

        assertThat(ran).hasSize(1);
    }

    @Test
    void whatDoesNotHelpIsTriedAFewTimesWithTimeInBetween() {
        leaderlessFor(6);
        assertThat(ran).hasSize(1);
        leaderlessFor(100);

        assertThat(ran).hasSize(PeerConnections.MOST);
        assertThat(connections.waiting()).isFalse();

        see(EtcdState.LEADING);
        leaderlessFor(2);
        assertThat(ran).hasSize(PeerConnections.MOST + 1);
    }

    @Test
    void nothingIsClosedWhereNoOtherLinkCanHelp() {
        connections = connections("10.0.0.2");
        leaderlessFor(10);
        connections = connections("10.0.0.2", "10.0.1.2");
        for (seconds = 0; seconds < 10; seconds++) {
            connections.seen(observation(EtcdState.LEADERLESS, false, 2), false);
        }
        for (seconds = 0; seconds < 10; seconds++) {
            connections.seen(observation(EtcdState.LEADERLESS, true, 2), true);
        }
        for (seconds = 0; seconds < 10; seconds++) {
            connections.seen(observation(EtcdState.LEADERLESS, false, 1), true);
        }

        assertThat(ran).isEmpty();
    }

    @Test
    void aKernelThatRefusesIsTold() {
        answer = new Commands.Output(0, "", "SOCK_DESTROY answers: Operation not permitted\n");
        leaderlessFor(2);

        assertThat(told)
                .containsExactly(new Outcome(0, "SOCK_DESTROY answers: Operation not permitted"));
    }

    @Test
    void whereThereWasNothingToCloseNothingIsTold() {
        answer = new Commands.Output(0, "", "");
        leaderlessFor(2);

        assertThat(ran).hasSize(1);
        assertThat(told).isEmpty();
    }

    private void leaderlessFor(long more) {
        for (long end = seconds + more; seconds <= end; seconds++) {
            see(EtcdState.LEADERLESS);
        }
    }

    private void see(EtcdState server) {
        connections.seen(observation(server, false, 2), true);
    }

    private static EtcdObservation observation(EtcdState server, boolean starting, int members) {
        List<Member> list =
                Stream.of(1L, 2L)
                        .limit(members)
                        .map(id -> FakeEtcdApi.member(id, "http://10.0.0." + id + ":2380", false))
                        .toList();
        return new EtcdObservation(
                1, server, new Replica.Damaged("none"), starting, false, list, Figures.NONE, "");
    }

    private PeerConnections connections(String... addresses) {
        return new PeerConnections(
                (limit, command, stdin) -> {
                    ran.add(String.join(" ", command));
                    return answer;
                },
                Stream.of(addresses).map(InetAddress::ofLiteral).toList(),
                2380,
                () -> Duration.ofSeconds(1),
                () -> Duration.ofSeconds(seconds).toNanos(),
                told::add);
    }
}
