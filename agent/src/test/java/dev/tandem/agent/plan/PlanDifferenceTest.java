package dev.tandem.agent.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.plan.PlanUse.Changed;
import dev.tandem.agentapi.plan.PlanUse.Effect;
import dev.tandem.agentapi.plan.PlanUse.Setting;
import dev.tandem.host.plan.ClusterPlan;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each setting of a plan, changed alone. */
class PlanDifferenceTest {
    static final String PLAN =
            """
            apiVersion: tandem.dev/v1
            kind: ClusterPlan
            name: site-17
            profile: default
            bmcOff: 5s
            loneStart: confirmed
            kubelet: true
            api: {address: 192.0.2.100}
            pcsdTokenFile: token
            etcd: {clientPort: 2379, peerPort: 2380, heartbeat: 100ms, election: 1s, quotaMegabytes: 8192}
            nodes:
              - name: north
                addresses: [192.0.2.1]
                bmc:
                  address: redfish+https://198.51.100.1/redfish/v1/Systems/1
                  username: admin
                  passwordFile: north.password
                  certificate: unverified
              - name: south
                addresses: [192.0.2.2]
                identity: {serial: S2}
                bmc:
                  address: redfish+https://198.51.100.2/redfish/v1/Systems/1
                  username: admin
                  passwordFile: south.password
                  certificate: unverified
            """;

    static ClusterPlan plan(String text) {
        return ClusterPlan.readText(text, Path.of("/etc/tandem/cluster.yaml"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    old                      | new                          | setting         | of    | effect
                    profile: default         | profile: tolerant            | TIMING          |       | NOW
                    bmcOff: 5s               | bmcOff: 12s                  | BMC_OFF         |       | NOW
                    loneStart: confirmed     | loneStart: bmc-off           | LONE_START      |       | NOW
                    192.0.2.100              | 192.0.2.101                  | API             |       | NOW
                    heartbeat: 100ms         | heartbeat: 200ms             | ETCD_TIMERS     |       | AFTER_A_RESTART
                    election: 1s             | election: 2s                 | ETCD_TIMERS     |       | AFTER_A_RESTART
                    quotaMegabytes: 8192     | quotaMegabytes: 4096         | ETCD_QUOTA      |       | AFTER_A_RESTART
                    clientPort: 2379         | clientPort: 12379            | ETCD_PORTS      |       | NOT_POSSIBLE
                    peerPort: 2380           | peerPort: 12380              | ETCD_PORTS      |       | NOT_POSSIBLE
                    name: site-17            | name: site-18                | NAME            |       | NOT_POSSIBLE
                    addresses: [192.0.2.2]   | addresses: [192.0.2.3]       | ADDRESSES       | south | NOT_POSSIBLE
                    198.51.100.2/            | 198.51.100.3/                | BMC             | south | NOW
                    serial: S2               | serial: S3                   | IDENTITY        | south | NOW
                    """)
    void aSettingThatIsChangedAloneIsNamedAlone(
            String old, String changed, Setting setting, String of, Effect effect) {
        assertThat(PLAN).contains(old);

        assertThat(PlanDifference.between(plan(PLAN), plan(PLAN.replace(old, changed))))
                .singleElement()
                .satisfies(one -> {
                    assertThat(one.setting()).isEqualTo(setting);
                    assertThat(one.of()).isEqualTo(of);
                    assertThat(one.effect()).isEqualTo(effect);
                    assertThat(one.remedy().isEmpty()).isEqualTo(effect == Effect.NOW);
                    assertThat(one.why().isEmpty()).isEqualTo(effect == Effect.NOW);
                });
    }

    @Test
    void theSamePlanDiffersInNothing() {
        assertThat(PlanDifference.between(plan(PLAN), plan(PLAN))).isEmpty();
    }

    @Test
    void aLinkMoreIsNoMove() {
        String two =
                PLAN.replace("[192.0.2.1]", "[192.0.2.1, 203.0.113.1]")
                        .replace("[192.0.2.2]", "[192.0.2.2, 203.0.113.2]");

        assertThat(PlanDifference.between(plan(PLAN), plan(two)))
                .extracting(Changed::setting, Changed::effect)
                .containsOnly(
                        org.assertj.core.groups.Tuple.tuple(
                                Setting.ADDRESSES, Effect.AFTER_A_RESTART));
    }

    @Test
    void withoutKubernetesBothItsSettingsDiffer() {
        String without =
                PLAN.replace("kubelet: true\n", "").replace("api: {address: 192.0.2.100}\n", "");

        assertThat(PlanDifference.between(plan(PLAN), plan(without)))
                .extracting(Changed::setting)
                .containsExactly(Setting.API, Setting.KUBELET);
    }
}
