package dev.tandem.host.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanDigestTest {
    private static final String PLAN =
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
                addresses: [192.0.2.1, 192.0.3.1]
                bmc:
                  address: redfish+https://198.51.100.1/redfish/v1/Systems/1
                  username: admin
                  passwordFile: north.password
                  certificate: unverified
              - name: south
                addresses: [192.0.2.2, 192.0.3.2]
                identity: {serial: S2}
                bmc:
                  address: redfish+https://198.51.100.2/redfish/v1/Systems/1
                  username: operator
                  passwordFile: south.password
                  certificate: system
            """;

    private static PlanDigest digest(String text, String file) {
        return PlanDigest.of(ClusterPlan.readText(text, Path.of(file)));
    }

    private static PlanDigest digest(String text) {
        return digest(text, "/etc/tandem/cluster.yaml");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    old                  | new                   | differ
                    profile: default     | profile: tolerant     | true
                    bmcOff: 5s           | bmcOff: 12s           | true
                    confirmed            | bmc-off               | true
                    192.0.2.100          | 192.0.2.101           | true
                    heartbeat: 100ms     | heartbeat: 200ms      | true
                    192.0.3.2            | 192.0.3.3             | true
                    serial: S2           | serial: S3            | true
                    certificate: system  | certificate: unverified | true
                    passwordFile: south.password | password: {program: [/usr/local/sbin/password, south]} | true
                    # told on their own way, later
                    198.51.100.2         | 198.51.100.3          | false
                    username: operator   | username: fencer      | false
                    south.password       | elsewhere.password    | false
                    # another way to write the same
                    bmcOff: 5s           | bmcOff: 5000ms        | false
                    """)
    void differsWithWhatBothNodesHaveToShare(String old, String changed, boolean differ) {
        assertThat(PLAN).contains(old);

        assertThat(digest(PLAN).contradicts(digest(PLAN.replace(old, changed)))).isEqualTo(differ);
    }

    @Test
    void isTheSameWhereverThePlanLies() {
        assertThat(digest(PLAN, "/root/site/plan.yaml")).isEqualTo(digest(PLAN));
    }

    @Test
    void anotherFormSaysNothing() {
        assertThat(new PlanDigest(1, "a").contradicts(new PlanDigest(2, "b"))).isFalse();
    }

    /** If this fails, the two releases of a pair under upgrade would differ: raise the form. */
    @Test
    void theSamePlanHasTheSameDigestInEveryReleaseOfAForm() {
        assertThat(digest(PLAN))
                .isEqualTo(
                        new PlanDigest(
                                1,
                                "849d63cc543d808de045adaed71fd8e6b02a9e2ef4722735c07b67d7ced0b1b0"));
    }
}
