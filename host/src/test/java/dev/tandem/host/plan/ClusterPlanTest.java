package dev.tandem.host.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.Failure;
import dev.tandem.host.credential.PasswordSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterPlanTest {
    @TempDir Path directory;

    @Test
    void aPlanIsReadWithItsDefaults() {
        ClusterPlan plan = TestPlans.read(directory, TestPlans.PAIR);

        assertThat(plan.timing()).isEqualTo(ClusterPlan.Timing.DEFAULT);
        assertThat(plan.timing().token()).isEqualTo(Duration.ofSeconds(1));
        assertThat(plan.kubelet()).isFalse();
        assertThat(plan.loneStart()).isEqualTo(ClusterPlan.LoneStart.CONFIRMED);
        assertThat(plan.etcd()).isEqualTo(ClusterPlan.Etcd.DEFAULT);
        assertThat(plan.preferred().name()).isEqualTo("node-0");
        assertThat(plan.peerOf("node-0").name()).isEqualTo("node-1");
        assertThat(plan.node("node-1").orElseThrow().identity().macs())
                .containsExactly("0e:f2:fd:5d:0f:4c");
        assertThat(plan.nodes().getFirst().bmc().password())
                .isEqualTo(new PasswordSource.InFile(directory.resolve("node-0.password")));
    }

    @Test
    void writingAndReadingAPlanGivesTheSamePlan() {
        ClusterPlan plan =
                TestPlans.read(
                                directory,
                                TestPlans.PAIR
                                        .replace(
                                                "profile: default",
                                                """
                                                profile: {token: 2s, consensus: 2500ms}
                                                bmcOff: 15s
                                                loneStart: bmc-off\
                                                """)
                                        .replaceFirst("unverified", "{caFile: ca.pem}"))
                        .installed(Path.of("/etc/tandem"));

        assertThat(TestPlans.read(directory, plan.toYaml())).isEqualTo(plan);
    }

    /** Each line changes the good plan so that it is wrong, and tells where that is found. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    profile: default    | profile: quick                           | line 4: profile: the profiles are
                    profile: default    | profile: {token: 100ms, consensus: 1s}   | line 4: token: 300ms to 30s are possible
                    profile: default    | profile: {token: 1s, consensus: 1100ms}  | at least 1200 ms
                    profile: default    | profile: {token: 1000, consensus: 1200}  | a time with its unit
                    name: node-1        | name: node-0                             | line 13: both nodes are called node-0
                    name: node-1        | name: Node_1                             | line 13: name: a node's name is a DNS name
                    [10.90.0.11, 10.91.0.11] | [10.90.0.11]                        | line 14: each link needs an address on both nodes: node-0 has 2, node-1 has 1
                    [10.90.0.11, 10.91.0.11] | [10.90.0.11, 10.90.0.10]            | line 14: both nodes have the address 10.90.0.10
                    [10.90.0.11, 10.91.0.11] | [10.90.0.11, fd00::1]               | line 14: link 1 mixes IPv4 and IPv6
                    [10.90.0.11, 10.91.0.11] | [10.90.0.11, south]                 | line 14: addresses: 'south': not an IP address
                    [10.90.0.11, 10.91.0.11] | [10.90.0.11/24, 10.91.0.11]         | line 14: addresses: '10.90.0.11/24': a node's address has no prefix length; write 10.90.0.11
                    [10.90.0.11, 10.91.0.11] | [x/24, 10.91.0.11]                  | line 14: addresses: 'x/24': not an IP address
                    name: node-1        | name: kubernetes                         | line 13: name: no node can be called kubernetes
                    name: node-1        | name: localhost                          | line 13: name: no node can be called localhost
                    name: node-1        | name: a1234567890123456789012345678901.b1234567890123456789012345678901 | longer than 64 characters
                    [10.90.0.11, 10.91.0.11] | [10.90.0.11, 127.0.0.1]             | line 14: addresses: '127.0.0.1': no other machine can reach this address
                    [10.90.0.11, 10.91.0.11] | [224.0.0.1, 10.91.0.11]             | line 14: addresses: '224.0.0.1': no other machine can reach this address
                    [10.90.0.11, 10.91.0.11] | [0.0.0.0, 10.91.0.11]               | line 14: addresses: '0.0.0.0': no other machine can reach this address
                    [10.90.0.11, 10.91.0.11] | [255.255.255.255, 10.91.0.11]       | line 14: addresses: '255.255.255.255': no other machine can reach this address
                    [10.90.0.11, 10.91.0.11] | ['::1', 10.91.0.11]                 | addresses: '::1': no other machine can reach this address
                    [10.90.0.11, 10.91.0.11] | ['ff02::1', 10.91.0.11]             | addresses: 'ff02::1': no other machine can reach this address
                    [10.90.0.11, 10.91.0.11] | ['fe80::1', 10.91.0.11]             | addresses: 'fe80::1': no other machine can reach this address
                    10.92.0.101         | 10.90.0.10                               | line 16: the BMC of node-1 has an address of node-0, 10.90.0.10
                    10.92.0.101         | 10.91.0.11                               | line 16: the BMC of node-1 has an address of node-1, 10.91.0.11
                    passwordFile: node-1.password | passwordFile: ~                | line 18: passwordFile has no value: in YAML ~ alone
                    passwordFile: node-1.password | passwordFile:                  | line 18: passwordFile has no value
                    passwordFile: node-1.password | passwordFile: ~/x              | line 18: passwordFile: ~ is not expanded
                    profile: default    | etcd: {clientPort: 2380}                 | clientPort and peerPort are the same
                    profile: default    | etcd: {clientPort: 6443}                 | line 4: clientPort: 6443 is the port of the Kubernetes API server
                    profile: default    | etcd: {peerPort: 9443}                   | line 4: peerPort: 9443 is the port of the agent
                    10.92.0.101         | 10.92.0.100                              | line 16: both nodes have the same BMC
                    passwordFile: node-1.password | password: hunter2              | a plan holds no passwords
                    username: fencer    | usrename: fencer                         | did you mean username
                    redfish+https://10.92.0.101 | ipmi://10.92.0.101               | line 16: address: a BMC that speaks IPMI has one computer system
                    redfish+https://10.92.0.101 | ftp://10.92.0.101                | line 16: address: its scheme speaks neither Redfish nor IPMI
                    https://10.92.0.101 | https://admin:hunter2@10.92.0.101        | use username and passwordFile
                    profile: default    | loneStart: always                        | line 4: loneStart: must be confirmed or bmc-off
                    profile: default    | bmcOff: 30s                              | line 4: bmcOff: 1s to 20s are possible
                    name: site-17       | name: site 17                            | line 3: name: a cluster's name
                    """)
    void whatIsWrongIsToldWithItsLine(String good, String bad, String told) {
        String yaml = TestPlans.PAIR.replace(good, bad);
        assertThat(yaml).isNotEqualTo(TestPlans.PAIR);

        Failure failure =
                catchThrowableOfType(Failure.class, () -> TestPlans.read(directory, yaml));

        assertThat(failure).isNotNull();
        assertThat(failure.why()).contains(told).doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    good                    | bad                                 | told
                    101:6230                | 101:6230?cipherSuite=0              | line 15: address: after the ? of an IPMI address only a cipher suite
                    101:6230                | 100                                 | line 15: both nodes have the same BMC
                    passwordFile: node-1    | {CERTIFICATE}passwordFile: node-1   | line 17: certificate: IPMI has no certificates
                    fencer                  | a-name-of-17-byte                   | line 10: username: IPMI has user names of at most 16 bytes
                    """)
    void whatDoesNotFitIpmiIsToldWithItsLine(String good, String bad, String told) {
        String yaml =
                TestPlans.IPMI_PAIR.replace(
                        good, bad.replace("{CERTIFICATE}", "certificate: system\n      "));
        assertThat(yaml).isNotEqualTo(TestPlans.IPMI_PAIR);

        Failure failure =
                catchThrowableOfType(Failure.class, () -> TestPlans.read(directory, yaml));

        assertThat(failure).isNotNull();
        assertThat(failure.why()).contains(told);
    }

    @Test
    void aBmcMaySpeakIpmi() {
        ClusterPlan plan = TestPlans.read(directory, TestPlans.IPMI_PAIR);

        assertThat(plan.nodes())
                .extracting(node -> node.bmc().address().toString())
                .containsExactly("ipmi://10.92.0.100:623?cipherSuite=3", "ipmi://10.92.0.101:6230");
        assertThat(plan.nodes())
                .extracting(node -> node.bmc().verification())
                .containsOnly(new ClusterPlan.Verification.SharedPassword());
        assertThat(TestPlans.read(directory, plan.toYaml())).isEqualTo(plan);
    }

    @Test
    void ipmiMayStandBesideRedfish() {
        ClusterPlan plan = TestPlans.read(directory, TestPlans.REDFISH_AND_IPMI_PAIR);

        ClusterPlan.Node second = plan.nodes().getLast().bySecond().orElseThrow();
        assertThat(second.name()).isEqualTo("node-1");
        assertThat(second.identity()).isEqualTo(plan.nodes().getLast().identity());
        assertThat(second.bmc().address()).hasToString("ipmi://node-1.example:623");
        assertThat(second.bmc().password())
                .isEqualTo(new PasswordSource.InFile(directory.resolve("node-1.ipmi")));
        assertThat(plan.installed(directory).nodesBySecond())
                .extracting(node -> node.bmc().password())
                .containsExactly(
                        new PasswordSource.InFile(directory.resolve("bmc/node-0_second.password")),
                        new PasswordSource.InFile(directory.resolve("bmc/node-1_second.password")));
        assertThat(TestPlans.read(directory, plan.toYaml())).isEqualTo(plan);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ipmi://node-1.example  | redfish+https://h/redfish/v1/Systems/1 | line 20: address: bmc.second is reached by IPMI
                    ipmi://node-1.example  | ipmi://node-0.example                  | line 20: bmc.second is the same for both nodes
                    username: operator     | username: a-name-of-17-byte            | line 12: username: IPMI has user names of at most 16 bytes
                    passwordFile: node-1.i | password: node-1.i                     | line 20:
                    redfish+https://10.92.0.101/redfish/v1/Systems/1 | ipmi://10.92.0.101 | line 20: second: bmc.second is IPMI beside Redfish, and this BMC is reached by IPMI already
                    """)
    void aSecondThatCannotServeIsRefused(String good, String bad, String told) {
        String yaml = TestPlans.REDFISH_AND_IPMI_PAIR.replace(good, bad);
        assertThat(yaml).isNotEqualTo(TestPlans.REDFISH_AND_IPMI_PAIR);

        Failure failure =
                catchThrowableOfType(Failure.class, () -> TestPlans.read(directory, yaml));

        assertThat(failure).isNotNull();
        assertThat(failure.why()).contains(told);
    }

    @Test
    void stockAgentsMayFollowTheBmc() {
        ClusterPlan plan = TestPlans.read(directory, TestPlans.FURTHER_PAIR);

        assertThat(plan.nodes().getLast().bmc().further())
                .containsExactly(
                        new FurtherLevel(
                                "fence_apc_snmp",
                                Map.of("ip", "198.51.100.20", "plug", "node-1"),
                                Optional.of(directory.resolve("node-1.pdu")),
                                true));
        assertThat(plan.installed(directory).nodes().getLast().bmc().further())
                .extracting(FurtherLevel::passwordFile)
                .containsExactly(Optional.of(directory.resolve("bmc/node-1_further1.password")));
        assertThat(TestPlans.read(directory, plan.toYaml())).isEqualTo(plan);
        assertThat(PlanDigest.of(plan))
                .isNotEqualTo(PlanDigest.of(TestPlans.read(directory, TestPlans.PAIR)));
        assertThat(
                        TestPlans.read(
                                        directory,
                                        TestPlans.FURTHER_PAIR.replace("provesOff: true", ""))
                                .nodes())
                .allSatisfy(
                        node -> assertThat(node.bmc().further().getFirst().provesOff()).isFalse());
    }

    @Test
    void whatIsNotVerifiedProvesNothing() {
        assertThat(
                        whyRefused(
                                TestPlans.FURTHER_PAIR.replace("fence_apc_snmp", "fence_redfish"),
                                "plug: node-1",
                                "plug: node-1, certificate: unverified"))
                .contains("provesOff: with certificate: unverified anybody on the way");
    }

    /** They were good for the release that took them, and their levels prove nothing now. */
    @ParameterizedTest
    @ValueSource(strings = {"ssl_insecure: '1'", "ssl_insecure: 'false'", "missing_as_off: 'true'"})
    void anInstalledPlanWithWhatALaterRuleRefusesIsRead(String parameter) throws IOException {
        Path file = directory.resolve("cluster.yaml");
        Files.writeString(
                file, TestPlans.FURTHER_PAIR.replace("plug: node-1", "plug: node-1, " + parameter));

        assertThat(ClusterPlan.read(file).nodes())
                .extracting(node -> node.bmc().further().getFirst().provesOff())
                .containsExactly(true, false);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    plug: node-1 | plug: node-1, passwd: hunter2    | line 26: parameters: passwd: a plan holds no passwords; write it to a file and name that as passwordFile
                    plug: node-1 | plug: node-1, snmp_priv_passwd: x| line 26: parameters: snmp_priv_passwd: a plan holds no passwords
                    plug: node-1 | plug: node-1, snmp_auth_pass: x  | line 26: parameters: snmp_auth_pass: a plan holds no passwords
                    plug: node-1 | plug: node-1, password_script: x | line 26: parameters: password_script: a plan holds no passwords
                    plug: node-1 | plug: node-1, community: private | line 26: parameters: community: a plan holds no passwords
                    plug: node-1 | plug: node-1, secret_key: x      | line 26: parameters: secret_key: a plan holds no passwords
                    plug: node-1 | plug: node-1, action: 'on'       | line 26: parameters: action: Tandem or Pacemaker sets it; remove it
                    plug: node-1 | plug: node-1, pcmk_reboot_action: off | line 26: parameters: pcmk_reboot_action: Tandem or Pacemaker sets it
                    plug: node-1 | plug: node-1, missing_as_off: 'true' | line 26: parameters: missing_as_off: Tandem or Pacemaker sets it; remove it
                    plug: node-1 | plug: node-1, ssl_insecure: 'false' | line 26: parameters: ssl_insecure: stock fence agents take any value for a yes
                    plug: node-1 | plug: node-1, ssl_insecure: '1'  | provesOff: with ssl_insecure anybody on the way to the device can answer for it
                    plug: node-1 | plug: [node-1]                   | line 26: parameters: plug must be one line of text, at most 256 characters
                    plug: node-1 | plug:                            | line 26: parameters: plug must be one line of text
                    plug: node-1 | Plug: node-1                     | line 26: parameters: a parameter is called as the agent's metadata calls it
                    plug: node-1 | plug: node-0                     | line 24: both nodes have the same further level (fence_apc_snmp), so a fence of one would switch the other off too
                    """)
    void parametersOfAFurtherLevelAreNoSecretsAndNotTandemsOwn(
            String good, String bad, String told) {
        assertThat(whyRefused(TestPlans.FURTHER_PAIR, good, bad))
                .contains(told)
                .doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    agent: fence_apc_snmp | agent: /usr/sbin/fence_apc_snmp | agent: the name of a stock fence agent is needed, such as fence_apc_snmp, without its directory
                    agent: fence_apc_snmp | agent: fence_tandem             | agent: Tandem uses its own agents itself; name a stock fence agent
                    agent: fence_apc_snmp | agnt: fence_apc_snmp            | a further level has no field agnt; did you mean agent
                    provesOff: true       | provesOff: certainly            | provesOff: must be true or false
                    provesOff: true       | password: hunter2               | password: a plan holds no passwords
                    """)
    void aFurtherLevelIsAnAgentWithItsParameters(String good, String bad, String told) {
        assertThat(whyRefused(TestPlans.FURTHER_PAIR, good, bad))
                .contains(told)
                .doesNotContain("hunter2");
    }

    @Test
    void thereAreTwoFurtherLevelsAtMostAndTheyDiffer() {
        String level = "        - {agent: fence_x, parameters: {plug: %s}}\n";
        assertThat(
                        whyRefused(
                                TestPlans.FURTHER_PAIR,
                                "      further:\n",
                                "      further:\n" + level.formatted(1) + level.formatted(2)))
                .contains("further: a list of 1 to 2 further levels is needed");
        assertThat(
                        whyRefused(
                                TestPlans.PAIR,
                                "      username: fencer\n",
                                "      username: fencer\n      further:\n"
                                        + level.formatted(1).repeat(2)))
                .contains("this level is given twice");
    }

    private String whyRefused(String plan, String good, String bad) {
        String yaml = plan.replace(good, bad);
        assertThat(yaml).isNotEqualTo(plan);
        Failure failure =
                catchThrowableOfType(Failure.class, () -> TestPlans.read(directory, yaml));
        assertThat(failure).isNotNull();
        return failure.why();
    }

    @Test
    void aBmcOfOneProtocolIsNotGivenTheAddressOfAnother() {
        ClusterPlan redfish = TestPlans.read(directory, TestPlans.PAIR);
        BmcAddress ipmi = BmcAddress.of("ipmi://10.92.0.100");

        Failure failure =
                catchThrowableOfType(
                        Failure.class, () -> redfish.withBmc("node-0", ipmi, "fencer"));

        assertThat(failure).isNotNull();
        assertThat(failure.why())
                .isEqualTo("it is one for IPMI, and the plan has Redfish for this BMC");
        assertThat(
                        TestPlans.read(directory, TestPlans.IPMI_PAIR)
                                .withBmc("node-0", ipmi, "fencer")
                                .nodes()
                                .getFirst()
                                .bmc()
                                .address())
                .isEqualTo(ipmi);
    }

    @Test
    void twoMachinesOnOneCableMayHaveAddressesOfTheCableOnly() {
        String yaml =
                TestPlans.PAIR
                        .replace("10.91.0.10", "169.254.0.1")
                        .replace("10.91.0.11", "169.254.0.2");

        assertThat(TestPlans.read(directory, yaml).nodes()).hasSize(2);
    }

    /** A rule that came later must not leave a pair without its agents. */
    @Test
    void anInstalledPlanThatAnOlderVersionTookIsStillRead() throws IOException {
        Path installed = directory.resolve("cluster.yaml");
        Files.writeString(installed, TestPlans.PAIR.replace("10.92.0.101", "10.90.0.10"));

        assertThat(ClusterPlan.read(installed).name()).isEqualTo("site-17");
    }

    /** Each line is put before the good plan, and makes it a file that is not read at all. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    name: hunter2     | line 4, column 1: this key appears twice in the same mapping
                    password: [       | the YAML cannot be understood from here on
                    bmcOff: !!str 3s  | line 1, column 9: a type tag
                    --- hunter2       | the YAML cannot be understood from here on
                    """)
    void aFileThatCannotBeReadIsToldWithItsPlaceAndNotRepeated(String before, String told) {
        Failure failure =
                catchThrowableOfType(
                        Failure.class,
                        () -> TestPlans.read(directory, before + "\n" + TestPlans.PAIR));

        assertThat(failure.what()).startsWith("cannot read the plan ");
        assertThat(failure.why()).contains(told).doesNotContain("hunter2");
    }

    /** A rule about two fields of a mapping points at one of them, not at where that begins. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    heartbeat: 100ms\\n  election: 300ms | line 6: election must be at least
                    clientPort: 2400\\n  peerPort: 2400  | line 6: clientPort and peerPort are the same
                    peerPort: 2400\\n  clientPort: 2400  | line 6: clientPort and peerPort are the same
                    """)
    void aRuleAboutTwoFieldsPointsAtTheLaterOne(String fields, String told) {
        String etcd = "etcd:\n  " + fields.replace("\\n", "\n");

        Failure failure =
                catchThrowableOfType(
                        Failure.class,
                        () ->
                                TestPlans.read(
                                        directory,
                                        TestPlans.PAIR.replace("profile: default", etcd)));

        assertThat(failure.why()).contains(told);
    }

    @Test
    void whoHasAnEmptyPlanIsShownHowToBegin() {
        Failure failure =
                catchThrowableOfType(Failure.class, () -> TestPlans.read(directory, "# later\n"));

        assertThat(failure.why()).contains("the file is empty");
        assertThat(failure.remedy()).contains("tandem cluster plan example");
    }

    @Test
    void theAddressOfTheApiIsReadAndWritten() {
        ClusterPlan plan =
                TestPlans.read(
                        directory,
                        TestPlans.PAIR
                                + "kubelet: true\n"
                                + "api: {address: 10.90.0.100, prefix: 24, interface: bond0.7}\n");

        assertThat(plan.api().orElseThrow().address()).hasToString("10.90.0.100");
        assertThat(TestPlans.read(directory, plan.toYaml()).api()).isEqualTo(plan.api());
    }

    /** What may not stand after api: in a plan, and what is told. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    true  | {address: 10.90.0.10}                       | a node has it
                    true  | {address: 10.92.0.100}                      | the BMC of node-0 has it
                    true  | {address: 127.0.0.1}                        | no other machine can reach it
                    true  | {address: api.example}                      | not an IP address
                    true  | {address: 10.90.0.100, prefix: 33}          | a number from 1 to 32
                    true  | {address: 10.90.0.100, interface: 'a b'}    | not the name of a network interface
                    true  | {adress: 10.90.0.100}                       | did you mean address
                    false | {address: 10.90.0.100}                      | without kubelet: true
                    """)
    void anAddressThatCannotServeIsRefused(boolean kubelet, String api, String told) {
        String yaml = TestPlans.PAIR + "kubelet: " + kubelet + "\napi: " + api + "\n";

        Failure failure =
                catchThrowableOfType(Failure.class, () -> TestPlans.read(directory, yaml));

        assertThat(failure).isNotNull();
        assertThat(failure.why()).contains(told);
    }

    @Test
    void whoDoesNotKnowTheFingerprintIsToldHowToGetIt() {
        String yaml =
                TestPlans.PAIR.replaceFirst(
                        "certificate: unverified", "certificate: sha256:FINGERPRINT");
        Failure failure =
                catchThrowableOfType(Failure.class, () -> TestPlans.read(directory, yaml));

        assertThat(failure.why())
                .contains("line 12: certificate is one of: system, unverified")
                .contains("openssl s_client -connect 10.92.0.100:443 <");
    }

    @Test
    void oneNodeIsNoPair() {
        String one = TestPlans.PAIR.substring(0, TestPlans.PAIR.indexOf("  - name: node-1"));

        Failure failure = catchThrowableOfType(Failure.class, () -> TestPlans.read(directory, one));

        assertThat(failure.why()).contains("exactly two nodes are needed, not 1");
    }

    @Test
    void allThatIsWrongIsToldAtOnce() {
        String yaml =
                TestPlans.PAIR
                        .replace("profile: default", "profile: quick")
                        .replace(
                                "fencer\n      passwordFile: node-1",
                                "a:b\n      passwordFile: node-1");

        Failure failure =
                catchThrowableOfType(Failure.class, () -> TestPlans.read(directory, yaml));

        assertThat(failure.why()).contains("line 4: ").contains("line 17: username");
        assertThat(failure.remedy())
                .contains("tandem cluster plan example")
                .contains("tandem cluster plan schema");
    }
}
