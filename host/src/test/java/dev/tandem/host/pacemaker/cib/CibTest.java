package dev.tandem.host.pacemaker.cib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.pacemaker.RecordedCommands;
import dev.tandem.host.pacemaker.Recording;
import dev.tandem.host.plan.Change;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.TestPlans;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CibTest {
    @TempDir Path directory;

    private static final String RECORDED = Recording.read("set-up/cib.xml");

    /** The same after somebody has turned one knob. */
    private static final String CHANGED =
            RECORDED.replace(
                    "name=\"dc-deadtime\" value=\"5s\"", "name=\"dc-deadtime\" value=\"6s\"");

    private CibPlan plan(String... replacements) {
        String yaml = TestPlans.PAIR;
        for (int i = 0; i < replacements.length; i += 2) {
            yaml = yaml.replace(replacements[i], replacements[i + 1]);
        }
        return CibPlan.of(TestPlans.read(directory, yaml));
    }

    private static List<String> told(List<Change> changes) {
        return changes.stream().map(Change::toString).toList();
    }

    @Test
    void whatWasAppliedIsAsPlanned() {
        Cib actual = Cib.parse(RECORDED);

        assertThat(actual.nodes()).containsExactly("node-0", "node-1");
        assertThat(told(actual.changesTo(plan()))).isEmpty();
        assertThat(actual.edited(plan()).toXml()).isEqualTo(actual.toXml());
    }

    @Test
    void aChangedPlanChangesJustThat() {
        Cib actual = Cib.parse(RECORDED);

        assertThat(told(actual.changesTo(plan("10.92.0.101", "10.92.0.201"))))
                .containsExactly(
                        "~ fence device tandem-redfish-node-1 parameter ip = 10.92.0.201 (was"
                                + " 10.92.0.101)");
        assertThat(told(actual.changesTo(plan("profile: default", "profile: tolerant"))))
                .containsExactly("~ property dc-deadtime = 20s (was 5s)");
    }

    @Test
    void theNodeThatLosesASplitShootsAfterTheSlowestBmcHasSwitchedOff() {
        Cib actual = Cib.parse(RECORDED);

        assertThat(told(actual.changesTo(plan("profile: default", "bmcOff: 15s"))))
                .contains(
                        "~ fence device tandem-fence-node-0 parameter split_delay = 17 (was 5)",
                        "~ fence device tandem-redfish-node-0 parameter pcmk_delay_base ="
                                + " node-0:32s (was node-0:20s)");
    }

    /** With the constants of before, 20, 40 and 45 s, the slowest that can be planned failed. */
    @Test
    void theSlowestBmcHasTheTimeThatItTakes() {
        Cib actual = Cib.parse(RECORDED);

        assertThat(told(actual.changesTo(plan("profile: default", "bmcOff: 20s"))))
                .containsExactlyInAnyOrder(
                        "~ fence device tandem-fence-node-0 parameter limit = 84 (was 55)",
                        "~ fence device tandem-fence-node-0 parameter pcmk_off_timeout = 89s (was"
                                + " 60s)",
                        "~ fence device tandem-fence-node-0 parameter pcmk_reboot_timeout = 89s"
                                + " (was 60s)",
                        "~ fence device tandem-fence-node-0 parameter power_timeout = 32 (was 20)",
                        "~ fence device tandem-fence-node-0 parameter split_delay = 22 (was 5)",
                        "~ fence device tandem-redfish-node-0 parameter pcmk_delay_base ="
                                + " node-0:37s (was node-0:20s)",
                        "~ fence device tandem-redfish-node-0 parameter pcmk_off_timeout = 156s"
                                + " (was 120s)",
                        "~ fence device tandem-redfish-node-0 parameter pcmk_reboot_timeout = 204s"
                                + " (was 180s)",
                        "~ fence device tandem-redfish-node-0 parameter power_timeout = 32 (was"
                                + " 20)",
                        "~ fence device tandem-fence-node-1 parameter limit = 121 (was 75)",
                        "~ fence device tandem-fence-node-1 parameter pcmk_off_timeout = 126s (was"
                                + " 80s)",
                        "~ fence device tandem-fence-node-1 parameter pcmk_reboot_timeout = 126s"
                                + " (was 80s)",
                        "~ fence device tandem-fence-node-1 parameter power_timeout = 32 (was 20)",
                        "~ fence device tandem-redfish-node-1 parameter pcmk_off_timeout = 156s"
                                + " (was 120s)",
                        "~ fence device tandem-redfish-node-1 parameter pcmk_reboot_timeout = 204s"
                                + " (was 180s)",
                        "~ fence device tandem-redfish-node-1 parameter power_timeout = 32 (was"
                                + " 20)");
    }

    /** The stock agent builds a URL of what it is told; Pacemaker has no brackets of its own. */
    @Test
    void aBmcWithIpv6StandsInBrackets() {
        assertThat(told(Cib.parse(RECORDED).changesTo(plan("10.92.0.101", "[2001:db8::101]"))))
                .containsExactly(
                        "~ fence device tandem-redfish-node-1 parameter ip = [2001:db8::101] (was"
                                + " 10.92.0.101)");
    }

    @Test
    void verifyingTheCertificateAfterAllShows() {
        Cib actual = Cib.parse(RECORDED);

        assertThat(told(actual.changesTo(plan("certificate: unverified", "certificate: system"))))
                .contains(
                        "~ fence device tandem-redfish-node-0 parameter certificate = system (was"
                                + " unverified)");
    }

    /** An authority is read where it lies on a node, not beside the plan. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    system              | system
                    unverified          | unverified
                    sha256:%1$s         | sha256:%1$s
                    {caFile: some.pem}  | /etc/tandem/bmc/node-0.ca.pem
                    """)
    void theSecondLevelVerifiesTheCertificateAsThePlanSays(String planned, String parameter) {
        String fingerprint = "0123456789abcdef".repeat(4);

        CibPlan desired =
                plan("certificate: unverified", "certificate: " + planned.formatted(fingerprint));

        assertThat(stock(desired, "tandem-redfish-node-0"))
                .containsEntry("certificate", parameter.formatted(fingerprint))
                // Stock fence_redfish takes the mere presence of this one for a yes.
                .doesNotContainKeys("ssl", "ssl_secure", "ssl_insecure");
    }

    /** A second try logs in with the same password at once, and BMCs lock accounts. */
    @ParameterizedTest
    @ValueSource(strings = {"tandem-redfish-node-1", "tandem-ipmilan-node-1"})
    void pacemakerTriesALevelOnceInAFence(String device) {
        assertThat(
                        stock(
                                CibPlan.of(
                                        TestPlans.read(directory, TestPlans.REDFISH_AND_IPMI_PAIR)),
                                device))
                .containsEntry("pcmk_off_retries", "1")
                .containsEntry("pcmk_reboot_retries", "1");
    }

    /** As another device: Pacemaker does not change the agent of one that there is. */
    @Test
    void aBmcThatSpeaksIpmiHasTheStockAgentForThat() {
        Cib actual = Cib.parse(RECORDED);
        CibPlan ipmi = CibPlan.of(TestPlans.read(directory, TestPlans.IPMI_PAIR));

        assertThat(told(actual.changesTo(ipmi)))
                .contains(
                        "+ fence device tandem-ipmilan-node-0 = stonith:fence_tandem_ipmilan",
                        "- fence device tandem-redfish-node-0")
                .noneMatch(change -> change.contains("tandem-fence-node"));
        assertThat(stock(ipmi, "tandem-ipmilan-node-0"))
                .containsEntry("ip", "10.92.0.100")
                .containsEntry("ipport", "623")
                .containsEntry("cipher", "3")
                .containsEntry("lanplus", "1")
                .containsEntry("privlvl", "operator")
                .containsEntry("username", "fencer")
                .containsEntry("password_script", "/usr/share/tandem/bmc-password node-0")
                .containsEntry("pcmk_delay_base", "node-0:20s")
                .doesNotContainKeys("certificate", "systems_uri", "password");
        assertThat(stock(ipmi, "tandem-ipmilan-node-1"))
                .containsEntry("ipport", "6230")
                .containsEntry("cipher", "17");
    }

    /** IPMI still works where Redfish does not; what works without the agent comes after it. */
    @Test
    void ipmiBesideRedfishIsTheSecondLevel() {
        CibPlan both = CibPlan.of(TestPlans.read(directory, TestPlans.REDFISH_AND_IPMI_PAIR));

        assertThat(levels(both, "node-1"))
                .containsExactly(
                        "1 tandem-fence-node-1",
                        "2 tandem-ipmilan-node-1",
                        "3 tandem-redfish-node-1");
        assertThat(stock(both, "tandem-ipmilan-node-1"))
                .containsEntry("ip", "node-1.example")
                .containsEntry("username", "operator")
                .containsEntry("lanplus", "1")
                .containsEntry("password_script", "/usr/share/tandem/bmc-password node-1_second");
        assertThat(stock(both, "tandem-redfish-node-1"))
                .containsEntry("password_script", "/usr/share/tandem/bmc-password node-1");
        assertThat(both.objects())
                .extracting(CibObject::id)
                .contains("tandem-ipmilan-node-1-elsewhere", "tandem-redfish-node-1-elsewhere");
    }

    /** The last of all, since it can tell least. */
    @Test
    void aFurtherLevelIsTheLastDeviceOfItsNode() {
        ClusterPlan plan = TestPlans.read(directory, TestPlans.FURTHER_PAIR);
        CibPlan further = CibPlan.of(plan);

        assertThat(levels(further, "node-1"))
                .containsExactly(
                        "1 tandem-fence-node-1",
                        "2 tandem-redfish-node-1",
                        "3 tandem-further1-node-1");
        assertThat(stock(further, "tandem-further1-node-0"))
                .containsEntry("ip", "198.51.100.20")
                .containsEntry("plug", "node-0")
                .containsEntry("tandem_agent", "fence_apc_snmp")
                .containsEntry("tandem_level", "node-0_further1")
                .containsEntry(
                        "tandem_stated",
                        plan.nodes()
                                .getFirst()
                                .bmc()
                                .further()
                                .getFirst()
                                .statement()
                                .orElseThrow())
                .containsEntry("password_script", "/usr/share/tandem/bmc-password node-0_further1")
                .containsEntry("pcmk_host_list", "node-0")
                .containsEntry("pcmk_delay_base", "node-0:20s")
                .containsEntry("power_timeout", "20")
                .doesNotContainKeys("password", "username", "certificate");
        assertThat(stock(further, "tandem-further1-node-1")).doesNotContainKey("pcmk_delay_base");
        assertThat(told(Cib.parse(RECORDED).changesTo(further)))
                .contains("+ fence device tandem-further1-node-0 = stonith:fence_tandem_further");
        assertThat(further.objects())
                .extracting(CibObject::id)
                .contains("tandem-further1-node-1-elsewhere");
        assertThat(
                        stock(
                                CibPlan.of(
                                        TestPlans.read(
                                                directory,
                                                TestPlans.FURTHER_PAIR.replaceAll(
                                                        "(?m)^ *passwordFile: node-..pdu\n", ""))),
                                "tandem-further1-node-0"))
                .doesNotContainKey("password_script");
    }

    /** The stock agent speaks https only: a level that cannot work is not configured. */
    @Test
    void aBmcByPlainHttpHasOneLevel() {
        CibPlan plain = plan("redfish+https://10.92.0.101", "redfish+http://10.92.0.101");

        assertThat(levels(plain, "node-1")).containsExactly("1 tandem-fence-node-1");
        assertThat(levels(plain, "node-0")).hasSize(2);
    }

    private static List<String> levels(CibPlan plan, String node) {
        return plan.objects().stream()
                .filter(CibObject.FencingLevel.class::isInstance)
                .map(CibObject.FencingLevel.class::cast)
                .filter(level -> level.target().equals(node))
                .map(level -> level.index() + " " + String.join(" ", level.devices()))
                .toList();
    }

    private static Map<String, String> stock(CibPlan plan, String id) {
        return plan.objects().stream()
                .filter(CibObject.Primitive.class::isInstance)
                .map(CibObject.Primitive.class::cast)
                .filter(primitive -> primitive.id().equals(id))
                .findFirst()
                .orElseThrow()
                .attributes();
    }

    @Test
    void whatTheEditMakesIsAsPlanned() {
        CibPlan desired = plan();
        CibPlan withKubelet =
                CibPlan.of(TestPlans.read(directory, TestPlans.PAIR + "kubelet: true\n"));
        Cib actual = Cib.parse(RECORDED);

        assertThat(told(actual.changesTo(withKubelet)))
                .containsExactly(
                        "+ clone kubelet-clone = systemd:kubelet",
                        "+ order tandem-kubelet-then-etcd = kubelet-clone then etcd-clone"
                                + " (Optional)",
                        "+ colocation tandem-etcd-with-kubelet = etcd-clone with kubelet-clone"
                                + " (INFINITY)");
        Cib edited = Cib.parse(actual.edited(withKubelet).toXml());
        assertThat(told(edited.changesTo(withKubelet))).isEmpty();

        // And back: what Tandem made and no longer wants goes.
        assertThat(told(edited.changesTo(desired)))
                .containsExactly(
                        "- clone kubelet-clone",
                        "- order tandem-kubelet-then-etcd",
                        "- colocation tandem-etcd-with-kubelet");
        assertThat(told(Cib.parse(edited.edited(desired).toXml()).changesTo(desired))).isEmpty();
    }

    @Test
    void theAddressOfTheApiComesLastAndOnlyWhereKubeletAndEtcdAre() {
        CibPlan withKubelet =
                CibPlan.of(TestPlans.read(directory, TestPlans.PAIR + "kubelet: true\n"));
        CibPlan withApi =
                CibPlan.of(
                        TestPlans.read(
                                directory,
                                TestPlans.PAIR
                                        + "kubelet: true\napi: {address: 10.90.0.100, prefix:"
                                        + " 24}\n"));
        Cib before = Cib.parse(Cib.parse(RECORDED).edited(withKubelet).toXml());

        assertThat(told(before.changesTo(withApi)))
                .containsExactly(
                        "+ resource tandem-api-address = ocf:heartbeat:IPaddr2",
                        "+ order tandem-kubelet-then-api = kubelet-clone then tandem-api-address"
                                + " (Optional)",
                        "+ order tandem-etcd-then-api = etcd-clone then tandem-api-address"
                                + " (Mandatory)",
                        "+ colocation tandem-api-with-kubelet = tandem-api-address with"
                                + " kubelet-clone (INFINITY)",
                        "+ colocation tandem-api-with-etcd = tandem-api-address with etcd-clone"
                                + " (INFINITY)",
                        "+ location tandem-api-where-written = tandem-api-address where"
                                + " tandem-can-write is 1 (2000)");
        Cib edited = Cib.parse(before.edited(withApi).toXml());
        assertThat(told(edited.changesTo(withApi))).isEmpty();
        assertThat(edited.toXml()).contains("10.90.0.100").contains("resource-stickiness");
    }

    @Test
    void theAddressPrefersANodeThatWritesAndIsBannedFromNone() {
        CibPlan withApi =
                CibPlan.of(
                        TestPlans.read(
                                directory,
                                TestPlans.PAIR + "kubelet: true\napi: {address: 10.90.0.100}\n"));
        String edited = Cib.parse(RECORDED).edited(withApi).toXml();

        String rule =
                edited.substring(edited.indexOf("<rsc_location id=\"tandem-api-where-written\""));
        assertThat(rule.substring(0, rule.indexOf("</rsc_location>")).replaceAll(">\\s+<", "><"))
                .isEqualToIgnoringWhitespace(
                        """
                        <rsc_location id="tandem-api-where-written" rsc="tandem-api-address">\
                        <rule id="tandem-api-where-written-rule" score="2000">\
                        <expression id="tandem-api-where-written-rule-expr"\
                         attribute="tandem-can-write" operation="eq" value="1"/></rule>
                        """);
        // Above the stickiness, or the address would stay where nobody writes.
        assertThat(edited).contains("name=\"resource-stickiness\" value=\"1000\"");
    }

    @Test
    void aRuleThatSomebodyChangedIsSetRight() {
        CibPlan withApi =
                CibPlan.of(
                        TestPlans.read(
                                directory,
                                TestPlans.PAIR + "kubelet: true\napi: {address: 10.90.0.100}\n"));
        String edited = Cib.parse(RECORDED).edited(withApi).toXml();

        for (String changed :
                List.of(
                        edited.replace("score=\"2000\"", "score=\"-INFINITY\""),
                        edited.replace("operation=\"eq\"", "operation=\"ne\""))) {
            assertThat(changed).isNotEqualTo(edited);
            Cib cib = Cib.parse(changed);
            assertThat(told(cib.changesTo(withApi)))
                    .singleElement()
                    .asString()
                    .contains("tandem-api-where-written");
            assertThat(told(Cib.parse(cib.edited(withApi).toXml()).changesTo(withApi))).isEmpty();
        }
    }

    @Test
    void aClusterWithoutAnythingGetsAllOfIt() {
        CibPlan desired = plan();

        Cib edited = Cib.parse(Cib.empty().edited(desired).toXml());

        assertThat(told(edited.changesTo(desired))).isEmpty();
        assertThat(edited.properties()).containsEntry("stonith-enabled", "true");
    }

    @Test
    void whatIsNotOursStays() {
        String others =
                RECORDED.replace(
                                "<resources>",
                                "<resources><!-- kept --><primitive id=\"mail\" class=\"systemd\""
                                        + " type=\"exim4\"/>")
                        .replace(
                                "<nvpair id=\"cib-bootstrap-options-dc-deadtime\"",
                                "<nvpair id=\"own-batch\" name=\"batch-limit\" value=\"5\"/><nvpair"
                                        + " id=\"cib-bootstrap-options-dc-deadtime\"")
                        .replace(
                                "name=\"dc-deadtime\" value=\"5s\"",
                                "name=\"dc-deadtime\" value=\"99s\"");
        Cib actual = Cib.parse(others);

        assertThat(told(actual.changesTo(plan())))
                .containsExactly("~ property dc-deadtime = 5s (was 99s)");
        assertThat(actual.edited(plan()).toXml())
                .contains("id=\"mail\"", "<!-- kept -->", "name=\"batch-limit\" value=\"5\"");
    }

    @Test
    void anAdministratorsWordAboutTheMomentStays() {
        String disabled =
                RECORDED.replace(
                        "<nvpair id=\"etcd-clone-meta_attributes-notify\"",
                        "<nvpair id=\"etcd-clone-meta_attributes-target-role\" name=\"target-role\""
                                + " value=\"Stopped\"/><nvpair"
                                + " id=\"etcd-clone-meta_attributes-notify\"");
        Cib actual = Cib.parse(disabled);

        assertThat(told(actual.changesTo(plan()))).isEmpty();
        assertThat(actual.edited(plan()).toXml()).contains("target-role");
    }

    @Test
    void aPasswordLeftInAFenceDeviceGoes() {
        String leaking =
                RECORDED.replace(
                        "<nvpair id=\"tandem-redfish-node-1-instance_attributes-ip\"",
                        "<nvpair id=\"x\" name=\"password\" value=\"hunter2\"/><nvpair"
                                + " id=\"tandem-redfish-node-1-instance_attributes-ip\"");
        Cib actual = Cib.parse(leaking);

        assertThat(told(actual.changesTo(plan())))
                .containsExactly(
                        "- fence device tandem-redfish-node-1 parameter password (was a secret)");
        assertThat(actual.edited(plan()).toXml()).doesNotContain("hunter2");
    }

    @Test
    void noPasswordStandsInTheConfiguration() {
        assertThat(Cib.empty().edited(plan()).toXml())
                .doesNotContain("name=\"password\"")
                .contains("/usr/share/tandem/bmc-password node-1");
    }

    @Test
    void aStrangeAnswerIsNotTakenForAnEmptyConfiguration() {
        assertThatThrownBy(() -> Cib.parse("<cib epoch=\"1\"/>")).isInstanceOf(Failure.class);
        assertThatThrownBy(() -> Cib.parse("")).isInstanceOf(Failure.class);
        assertThatThrownBy(() ->
                        Cib.parse(
                                "<!DOCTYPE cib [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
                                        + "<cib><configuration a=\"&x;\"/></cib>"))
                .isInstanceOf(Failure.class);
    }

    @Test
    void aVersionIsComparedByEpochFirst() {
        assertThat(new Cib.Version(0, 5, 0)).isGreaterThan(new Cib.Version(0, 4, 900));
        assertThat(new Cib.Version(1, 0, 0)).isGreaterThan(new Cib.Version(0, 99, 0));
    }

    @Test
    void aChangeThatCameInBetweenIsNotOverwritten() {
        RecordedCommands commands =
                new RecordedCommands()
                        .answer("cibadmin --query", 0, CHANGED, "")
                        .answer("cibadmin --query", 0, CHANGED, "")
                        .answer("cibadmin --query", 0, RECORDED, "")
                        .answer("crm_diff", 1, "<diff/>", "")
                        .answer("cibadmin --patch", 103, "", "Update was older")
                        .answer("cibadmin --patch", 0, "", "");

        List<Change> changes = new CibStore(commands).apply(plan(), Set.of("node-0", "node-1"));

        assertThat(told(changes)).containsExactly("~ property dc-deadtime = 5s (was 6s)");
        assertThat(commands.ran.stream().filter(command -> command.contains("--patch"))).hasSize(2);
    }

    @Test
    void aPlanThatWouldShrinkTheClusterIsRefused() {
        RecordedCommands commands =
                new RecordedCommands().answer("cibadmin --query", 0, RECORDED, "");

        assertThatThrownBy(() -> new CibStore(commands).apply(plan(), Set.of("node-0", "node-9")))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("would take node-1 out of the cluster");
        assertThat(commands.ran).hasSize(1);
    }

    @Test
    void aChangeThatDidNotArriveIsTold() {
        RecordedCommands commands =
                new RecordedCommands()
                        .answer("cibadmin --query", 0, CHANGED, "")
                        .answer("crm_diff", 1, "<diff/>", "")
                        .answer("cibadmin --patch", 0, "", "");

        assertThatThrownBy(() -> new CibStore(commands).apply(plan(), Set.of("node-0", "node-1")))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("is not as it was set");
    }

    @Test
    void aNodeThatKeptAConfigurationOfItsOwnIsNamedThoughNothingIsToBeChangedHere() {
        RecordedCommands commands =
                new RecordedCommands()
                        .answer("cibadmin --query --node node-0", 0, RECORDED, "")
                        .answer("cibadmin --query --node node-1", 0, CHANGED, "")
                        .answer("cibadmin --query", 0, RECORDED, "");

        assertThatThrownBy(() -> new CibStore(commands).apply(plan(), Set.of("node-0", "node-1")))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("on node-1 is not as it was set");
    }

    @Test
    void theFirstConfigurationIsAboveAnyThatTheOtherNodeBeginsWith() {
        RecordedCommands commands =
                new RecordedCommands()
                        .answer(
                                "cibadmin --empty",
                                0,
                                "<cib admin_epoch=\"0\" epoch=\"1\""
                                        + " num_updates=\"0\"><configuration>"
                                        + "<crm_config/></configuration><status/></cib>",
                                "")
                        .answer("install", 0, "", "");

        new CibStore(commands).prepareFirstStart();

        assertThat(Cib.parse(commands.stdins.getLast()).version())
                .isGreaterThan(new Cib.Version(0, 1_000_000, 0));
    }
}
