package dev.tandem.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.topology.EtcdScaling.InstallStatus;
import dev.tandem.core.topology.EtcdScaling.Member;
import dev.tandem.core.topology.EtcdScaling.Verdict;
import dev.tandem.core.topology.ScalingStrategy.Install;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdScalingTest {

    /** Installs are ordinary, delayed, in-place or unsafe. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    topology               | install         | strategy                 | before removal | for a revision
                    SingleReplica          | ordinary        | UNSAFE                   | 2              | 0
                    SingleReplica          | delayed         | UNSAFE                   | 2              | 0
                    SingleReplica          | in-place        | BOOTSTRAP_IN_PLACE       | 0              | 0
                    HighlyAvailable        | unsafe          | UNSAFE                   | 2              | 0
                    HighlyAvailable        | unsafe,delayed  | UNSAFE                   | 2              | 0
                    DualReplica            | unsafe          | UNSAFE                   | 2              | 0
                    HighlyAvailable        | ordinary        | HIGHLY_AVAILABLE         | 4              | 3
                    HighlyAvailable        | delayed         | DELAYED_HIGHLY_AVAILABLE | 3              | 3
                    HighlyAvailable        | in-place        | HIGHLY_AVAILABLE         | 4              | 3
                    HighlyAvailableArbiter | ordinary        | HIGHLY_AVAILABLE         | 4              | 3
                    HighlyAvailableArbiter | delayed         | DELAYED_HIGHLY_AVAILABLE | 3              | 3
                    External               | ordinary        | HIGHLY_AVAILABLE         | 4              | 3
                    DualReplica            | ordinary        | TWO_NODE                 | 3              | 2
                    DualReplica            | delayed         | DELAYED_TWO_NODE         | 2              | 2
                    """)
    void topologyAndInstallGiveTheStrategy(
            String topology, String install, ScalingStrategy strategy, int removal, int revision) {
        ScalingStrategy chosen =
                ScalingStrategy.of(
                        ControlPlaneTopology.ofApiValue(topology).orElseThrow(),
                        new Install(
                                install.contains("delayed"),
                                install.contains("in-place"),
                                install.contains("unsafe")));

        assertThat(chosen).isEqualTo(strategy);
        assertThat(chosen.membersBeforeBootstrapRemoval()).isEqualTo(removal);
        assertThat(chosen.healthyMembersForRevision()).isEqualTo(revision);
    }

    /** Members read "+" healthy, "-" unhealthy. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    strategy                 | stable | members | verdict
                    # a roll-out that has begun goes on, whatever the members do
                    HIGHLY_AVAILABLE         | false  | ---     | allowed
                    TWO_NODE                 | false  | +-      | allowed
                    UNSAFE                   | true   | -       | allowed
                    BOOTSTRAP_IN_PLACE       | true   | -       | allowed
                    HIGHLY_AVAILABLE         | true   | +++     | allowed
                    HIGHLY_AVAILABLE         | true   | ++-     | held
                    HIGHLY_AVAILABLE         | true   | ++      | held
                    HIGHLY_AVAILABLE         | true   | +++-    | held
                    HIGHLY_AVAILABLE         | true   | ++++    | allowed
                    HIGHLY_AVAILABLE         | true   | +++--   | held
                    HIGHLY_AVAILABLE         | true   | ++++-   | allowed
                    DELAYED_HIGHLY_AVAILABLE | true   | ++      | held
                    DELAYED_HIGHLY_AVAILABLE | true   | +++     | allowed
                    # the pair: the fence stands in for the third voter
                    TWO_NODE                 | true   | ++      | allowed
                    TWO_NODE                 | true   | +-      | held
                    TWO_NODE                 | true   | +       | held
                    DELAYED_TWO_NODE         | true   | ++      | allowed
                    DELAYED_TWO_NODE         | true   | +-      | held
                    # a third member in a pair's cluster: the ordinary arithmetic holds again
                    TWO_NODE                 | true   | +++     | allowed
                    TWO_NODE                 | true   | ++-     | held
                    DELAYED_TWO_NODE         | true   | ++-     | held
                    """)
    void aRevisionWaitsUntilAMemberCanBeSpared(
            ScalingStrategy strategy, boolean stable, String members, String verdict) {
        assertThat(name(EtcdScaling.newRevision(strategy, stable, members(members))))
                .isEqualTo(verdict);
    }

    /** As above; "b" is a healthy bootstrap member, "B" an unhealthy one. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    strategy                 | members | bootstrap   | verdict
                    HIGHLY_AVAILABLE         | b+++    | COMPLETE    | allowed
                    HIGHLY_AVAILABLE         | B+++    | COMPLETE    | allowed
                    HIGHLY_AVAILABLE         | b++-    | COMPLETE    | held
                    HIGHLY_AVAILABLE         | b++     | COMPLETE    | held
                    HIGHLY_AVAILABLE         | b+++    | PROGRESSING | held
                    HIGHLY_AVAILABLE         | b+++    | MISSING     | held
                    HIGHLY_AVAILABLE         | +++     | COMPLETE    | held
                    DELAYED_HIGHLY_AVAILABLE | b++     | COMPLETE    | allowed
                    DELAYED_HIGHLY_AVAILABLE | b+      | COMPLETE    | held
                    TWO_NODE                 | b++     | COMPLETE    | allowed
                    TWO_NODE                 | b+      | COMPLETE    | held
                    TWO_NODE                 | b+-     | COMPLETE    | held
                    DELAYED_TWO_NODE         | b+      | COMPLETE    | allowed
                    DELAYED_TWO_NODE         | b       | COMPLETE    | held
                    DELAYED_TWO_NODE         | b-      | COMPLETE    | held
                    UNSAFE                   | b+      | COMPLETE    | allowed
                    UNSAFE                   | b       | COMPLETE    | held
                    BOOTSTRAP_IN_PLACE       | +       | COMPLETE    | held
                    """)
    void theBootstrapMemberLeavesWhenTheOthersStand(
            ScalingStrategy strategy, String members, InstallStatus bootstrap, String verdict) {
        assertThat(name(EtcdScaling.bootstrapRemoval(strategy, members(members), bootstrap)))
                .isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    strategy                 | nodes | install     | verdict
                    HIGHLY_AVAILABLE         | 3     | COMPLETE    | allowed
                    HIGHLY_AVAILABLE         | 2     | PROGRESSING | held
                    DELAYED_HIGHLY_AVAILABLE | 2     | PROGRESSING | allowed
                    DELAYED_HIGHLY_AVAILABLE | 1     | PROGRESSING | held
                    DELAYED_HIGHLY_AVAILABLE | 2     | COMPLETE    | held
                    DELAYED_HIGHLY_AVAILABLE | 2     | MISSING     | held
                    DELAYED_HIGHLY_AVAILABLE | 2     | INVALID     | held
                    DELAYED_HIGHLY_AVAILABLE | 3     | COMPLETE    | allowed
                    DELAYED_TWO_NODE         | 1     | PROGRESSING | allowed
                    DELAYED_TWO_NODE         | 1     | COMPLETE    | held
                    DELAYED_TWO_NODE         | 2     | COMPLETE    | allowed
                    TWO_NODE                 | 1     | PROGRESSING | held
                    TWO_NODE                 | 2     | PROGRESSING | allowed
                    UNSAFE                   | 1     | COMPLETE    | allowed
                    """)
    void oneNodeTooFewIsBorneOnlyWhileADelayedInstallRuns(
            ScalingStrategy strategy, int nodes, InstallStatus install, String verdict) {
        assertThat(name(EtcdScaling.memberCount(strategy, nodes, install))).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({
        "SINGLE_REPLICA, false, 1, true", "SINGLE_REPLICA, false, 0, false",
        "DUAL_REPLICA, false, 1, false", "DUAL_REPLICA, true, 1, true",
        "DUAL_REPLICA, true, 0, false", "DUAL_REPLICA, false, 2, true",
        "HIGHLY_AVAILABLE, true, 1, false", "HIGHLY_AVAILABLE_ARBITER, false, 2, true"
    })
    void anApiServerNeedsEnoughEtcdAddresses(
            ControlPlaneTopology topology, boolean delayed, int endpoints, boolean enough) {
        assertThat(EtcdScaling.enoughEndpoints(topology, delayed, endpoints)).isEqualTo(enough);
    }

    @Test
    void anAllowedRevisionNeverCostsTheQuorumExceptInAHealthyPair() {
        for (ScalingStrategy strategy : ScalingStrategy.values()) {
            for (int total = 0; total <= 7; total++) {
                for (int healthy = 0; healthy <= total; healthy++) {
                    List<Member> members =
                            members("+".repeat(healthy) + "-".repeat(total - healthy));
                    boolean allowed =
                            EtcdScaling.newRevision(strategy, true, members)
                                    instanceof Verdict.Allowed;
                    boolean spares = healthy - 1 >= EtcdScaling.quorum(total);
                    boolean pair = strategy.isTwoNode() && total == 2 && healthy == 2;
                    boolean unchecked = strategy.healthyMembersForRevision() == 0;
                    assertThat(allowed && !spares && !pair && !unchecked)
                            .as("%s with %d of %d", strategy, healthy, total)
                            .isFalse();
                }
            }
        }
    }

    private static String name(Verdict verdict) {
        assertThat(verdict.reason()).isNotBlank();
        return switch (verdict) {
            case Verdict.Allowed(String _) -> "allowed";
            case Verdict.Held(String _) -> "held";
        };
    }

    private static List<Member> members(String text) {
        List<Member> members = new ArrayList<>();
        for (String sign : Arrays.asList(text.split("(?!^)"))) {
            switch (sign) {
                case "+", "-" ->
                        members.add(new Member("node-" + members.size(), sign.equals("+")));
                case "b", "B" ->
                        members.add(new Member(EtcdScaling.BOOTSTRAP_MEMBER, sign.equals("b")));
                default -> assertThat(sign).isEmpty();
            }
        }
        return members;
    }
}
