package dev.tandem.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.topology.AssistedInstall.Host;
import dev.tandem.core.topology.AssistedInstall.Role;
import dev.tandem.core.topology.PoolRollout.Machine;
import dev.tandem.core.topology.PoolRollout.Pool;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RolloutAndAssistedTest {

    @ParameterizedTest
    @CsvSource({
        "master, '', 3, 1", "master, 1, 2, 1", "master, 0, 2, 1", "master, 2, 3, 2",
        "master, 50%, 3, 1", "master, 20%, 2, 1", "worker, 34%, 3, 1", "worker, 67%, 3, 2",
        "arbiter, 2, 2, 1", "arbiter, 100%, 3, 1", "arbiter, '', 1, 1"
    })
    void aPoolsCapacityIsNeverBelowOne(String pool, String spec, int machines, int capacity) {
        assertThat(PoolRollout.maxUnavailable(pool, spec, machines)).isEqualTo(capacity);
    }

    /** Machines read "o" wants an update, "x" away, "." up to date; a leading "p" is a pause. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    masters | arbiters | chosen
                    # 2 + 1: masters first, the arbiter last, never two of the three away
                    oo      | o        | m0
                    .o      | o        | m1
                    ..      | o        | a0
                    xo      | o        | ''
                    oo      | x        | ''
                    ..      | x        | ''
                    ..      | .        | ''
                    # paused masters: the arbiter goes alone, unless a master is away
                    poo     | o        | a0
                    pxo     | o        | ''
                    poo     | po       | ''
                    ..      | po       | ''
                    ..      | xo       | ''
                    """)
    void masterAndArbiterAreOneMajority(String masters, String arbiters, String chosen) {
        assertThat(String.join(" ", PoolRollout.next(pool("m", masters), pool("a", arbiters))))
                .isEqualTo(chosen);
    }

    @ParameterizedTest
    @CsvSource({"oo, m0", "xo, ''", "ox, ''", "poo, ''", ".o, m1"})
    void aPairWaitsWhileOneIsAway(String masters, String chosen) {
        assertThat(String.join(" ", PoolRollout.next(pool("m", masters)))).isEqualTo(chosen);
    }

    private static Pool pool(String prefix, String text) {
        boolean paused = text.startsWith("p");
        List<Machine> machines = new ArrayList<>();
        for (char state : text.substring(paused ? 1 : 0).toCharArray()) {
            machines.add(new Machine(prefix + machines.size(), state == 'x', state != '.'));
        }
        return new Pool(paused, 1, machines);
    }

    /** Hosts read "M" master with credentials, "m" without, "a" arbiter, "w" worker. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    count | hosts | pair  | sufficient | next    | group
                    2     | ''    | false | false      | MASTER  | 3
                    2     | M     | false | false      | MASTER  | 3
                    2     | MM    | true  | true       | ARBITER | 2
                    2     | Mm    | false | false      | ARBITER | 3
                    2     | mma   | false | true       | WORKER  | 3
                    2     | MMa   | false | true       | WORKER  | 3
                    2     | MMM   | false | false      | ARBITER | 3
                    3     | mmm   | false | true       | WORKER  | 3
                    3     | mm    | false | false      | MASTER  | 3
                    3     | mmw   | false | false      | MASTER  | 3
                    """)
    void hostsMakeATopology(
            int count, String hosts, boolean pair, boolean sufficient, Role next, int group) {
        List<Host> all = hosts(hosts);

        assertThat(AssistedInstall.isFencedPair(count, all)).isEqualTo(pair);
        assertThat(AssistedInstall.sufficientMasters(count, all)).isEqualTo(sufficient);
        assertThat(AssistedInstall.nextRole(count, all, true)).isEqualTo(next);
        assertThat(AssistedInstall.smallestConnectedGroup(count, all)).isEqualTo(group);
    }

    @ParameterizedTest
    @CsvSource({
        "2, mma, mm, false", "2, mma, mma, true", "2, mma, ma, false", "2, mmaa, mma, true",
        "2, MM, M, false", "2, MM, MM, true", "3, mmm, mm, false", "3, mmmw, mmm, true"
    })
    void anInstallEndsWithItsMajority(int count, String wanted, String done, boolean finished) {
        assertThat(AssistedInstall.canFinish(count, hosts(wanted), hosts(done)))
                .isEqualTo(finished);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 1", "3, 2", "4, 2", "5, 2"})
    void theBootstrapMachineTurnsIntoANodeAfterTheOthers(int count, int ready) {
        assertThat(AssistedInstall.mastersBeforeBootstrapTurns(count)).isEqualTo(ready);
    }

    @ParameterizedTest
    @CsvSource({"2, MM, false, WORKER", "2, MM, true, ARBITER", "2, M, false, MASTER"})
    void aMachineTooSmallForAnArbiterIsAWorker(
            int count, String hosts, boolean fits, Role expected) {
        assertThat(AssistedInstall.nextRole(count, hosts(hosts), fits)).isEqualTo(expected);
    }

    private static List<Host> hosts(String text) {
        return text.chars()
                .mapToObj(letter ->
                        switch (letter) {
                            case 'M' -> new Host(Role.MASTER, true);
                            case 'm' -> new Host(Role.MASTER, false);
                            case 'a' -> new Host(Role.ARBITER, false);
                            default -> new Host(Role.WORKER, false);
                        })
                .toList();
    }
}
