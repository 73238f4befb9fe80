package dev.tandem.host.pacemaker.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tandem.core.Failure;
import dev.tandem.core.testing.PrintedCommands;
import dev.tandem.host.Secrets;
import dev.tandem.host.pacemaker.RecordedCommands;
import dev.tandem.host.pacemaker.Recording;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.plan.Change;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.TestPlans;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterApplyTest {
    private static final String ACCEPT = "pcs pcsd accept_token";
    private static final String ENABLE_AGENT = "systemctl enable --now tandem-agent.service";
    private static final List<String> LOOK_FOR_AGENT =
            List.of("systemctl", "cat", "tandem-agent.service");

    /** As Debian's corosync package comes with it. */
    private static final String EXAMPLE =
            """
            nodelist {
              node {
                name: node1
                nodeid: 1
                ring0_addr: 127.0.0.1
              }
            }
            """;

    @TempDir private Path directory;

    private final RecordedCommands commands = new RecordedCommands();
    private final List<String> steps = new ArrayList<>();
    private String address = "10.90.0.10";

    @BeforeEach
    void secrets() {
        for (String file : List.of("node-0.password", "node-1.password", "pcsd-token")) {
            Secrets.write(directory.resolve(file), "a secret that is not to be seen by anybody\n");
        }
        SitePki.create(directory.resolve("site"), "site-17", InstantSource.system());
        SitePki.load(directory.resolve("site"), InstantSource.system())
                .issue("node-0", List.of("10.90.0.10"), directory.resolve("pki"));
        commands.answer("systemctl cat tandem-agent.service", 0, "", "");
    }

    @Test
    void aNodeThatThePlanDoesNotNameIsLeftAlone() {
        assertThatThrownBy(() -> apply(TestPlans.PAIR, "node-7"))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("this is node-7, the plan names node-0, node-1");
    }

    @Test
    void aNewPairDiffersInEverythingAndNobodyIsAsked() {
        List<Change> changes = apply(TestPlans.PAIR, "node-0").difference();

        assertThat(changes)
                .extracting(Change::toString)
                .contains(
                        "+ file " + etc("cluster.yaml"),
                        "~ pcsd of node-0 authorized = yes (was no)",
                        "~ pcsd of node-1 authorized = yes (was no)",
                        "+ cluster site-17 = node-0 and node-1");
        assertThat(commands.ran).isEmpty();
        assertThat(etc("cluster.yaml")).doesNotExist();
    }

    @Test
    void aClusterThatDoesNotRunIsToBeStarted() throws IOException {
        Files.writeString(corosyncConf(), Recording.read("set-up/corosync.conf"));
        commands.answer("env TZ=UTC crm_mon", 102, "", "error: not connected");

        assertThat(apply(TestPlans.PAIR, "node-0").difference())
                .extracting(Change::toString)
                .contains("~ cluster site-17 running = yes (was no)")
                .anyMatch(change -> change.contains("totem.fail_recv_const"));
    }

    @Test
    void aClusterThatHasAnotherNodeIsNotShrunk() throws IOException {
        Files.writeString(
                corosyncConf(),
                Recording.read("set-up/corosync.conf").replace("name: node-1", "name: node-9"));

        assertThatThrownBy(() -> apply(TestPlans.PAIR, "node-0").difference())
                .isInstanceOf(Failure.class)
                .hasMessageContaining("would take node-9 out of the cluster");
    }

    @Test
    void preparingWritesTheFilesOnceAndStartsTheAgent() {
        commands.answer(ACCEPT, 0, "", "").answer(ENABLE_AGENT, 0, "", "");

        List<Change> first = apply(TestPlans.PAIR, "node-0").prepare();
        List<Change> second = apply(TestPlans.PAIR, "node-0").prepare();

        assertThat(first)
                .extracting(Change::toString)
                .containsExactly(
                        "+ file " + etc("pcsd-token"),
                        "+ file " + etc("bmc/node-0.password"),
                        "+ file " + etc("bmc/node-1.password"),
                        "+ file " + etc("cluster.yaml"));
        assertThat(second).isEmpty();
        assertThat(ClusterPlan.read(etc("cluster.yaml")))
                .isEqualTo(
                        TestPlans.read(directory, TestPlans.PAIR)
                                .installed(directory.resolve("etc")));
        assertThat(commands.ran)
                .containsExactly(
                        LOOK_FOR_AGENT,
                        List.of("pcs", "pcsd", "accept_token", etc("pcsd-token").toString()),
                        List.of("systemctl", "enable", "--now", "tandem-agent.service"),
                        LOOK_FOR_AGENT,
                        List.of("pcs", "pcsd", "accept_token", etc("pcsd-token").toString()),
                        List.of("systemctl", "enable", "--now", "tandem-agent.service"));
        assertThat(first.toString() + second + steps + commands.ran)
                .doesNotContain("not to be seen");
    }

    @Test
    void anAgentThatDoesNotStartIsAFailureWithItsReason() {
        commands.answer(ACCEPT, 0, "", "").answer(ENABLE_AGENT, 1, "", "Unit is masked.\n");

        assertThatThrownBy(() -> apply(TestPlans.PAIR, "node-0").prepare())
                .isInstanceOf(Failure.class)
                .hasMessageContaining("cannot start tandem-agent on this node: Unit is masked.");
    }

    @Test
    void theExampleOfTheDistributionIsRemovedFirst() throws IOException {
        Files.writeString(corosyncConf(), EXAMPLE);
        commands.answer("pcs cluster destroy", 0, "", "")
                .answer(ACCEPT, 0, "", "")
                .answer(ENABLE_AGENT, 0, "", "");

        apply(TestPlans.PAIR, "node-0").prepare();

        assertThat(commands.ran.get(1)).isEqualTo(List.of("pcs", "cluster", "destroy"));
    }

    @Test
    void everythingThatIsMissingIsToldBeforeAnythingIsChanged() throws IOException {
        Files.delete(directory.resolve("pcsd-token"));
        Files.delete(directory.resolve("node-1.password"));
        Files.delete(directory.resolve("pki").resolve("agent.key"));
        commands.answer("systemctl cat kubelet.service", 1, "", "No files found");
        ClusterApply apply =
                apply(TestPlans.PAIR + "kubelet: true\napi: {address: 10.90.0.100}\n", "node-0");

        for (Runnable attempt :
                List.<Runnable>of(apply::requireReady, apply::prepare, apply::apply)) {
            Failure failure = catchThrowableOfType(Failure.class, attempt::run);

            assertThat(failure.what()).startsWith("node-0 is not ready for the plan");
            assertThat(failure.why().lines().map(String::strip))
                    .satisfiesExactly(
                            token -> assertThat(token).contains("pcsd-token does not exist"),
                            password -> assertThat(password).contains("node-1.password"),
                            keys -> assertThat(keys).endsWith("pki lacks agent.key"),
                            kubelet -> assertThat(kubelet).contains("no kubelet.service"),
                            address -> assertThat(address).contains("IPaddr2 does not exist"));
            assertThat(failure.remedy().lines()).hasSize(5);
            assertThat(PrintedCommands.faults(failure.remedy())).isEmpty();
        }
        assertThat(etc("cluster.yaml")).doesNotExist();
        assertThat(commands.ran).allMatch(command -> command.contains("cat"));
    }

    @Test
    void theStepsOfPreparingAreThoseThatItTakes() throws IOException {
        Files.writeString(corosyncConf(), EXAMPLE);
        commands.answer("systemctl cat kubelet.service", 0, "", "")
                .answer("pcs cluster destroy", 0, "", "")
                .answer(ACCEPT, 0, "", "")
                .answer(ENABLE_AGENT, 0, "", "")
                .answer("systemctl disable kubelet.service", 0, "", "");
        ClusterApply apply = apply(TestPlans.PAIR + "kubelet: true\n", "node-0");

        List<String> told = apply.stepsToPrepare();
        assertThat(etc("cluster.yaml")).doesNotExist();
        List<Change> changed = apply.prepare();

        assertThat(told).startsWith(changed.stream().map(Change::toString).toArray(String[]::new));
        List<String> ran =
                commands.ran.stream()
                        .filter(command -> !command.contains("cat"))
                        .map(command -> String.join(" ", command))
                        .toList();
        assertThat(told.subList(changed.size(), told.size()))
                .extracting(step -> step.substring(step.indexOf(": ") + 2))
                .isEqualTo(ran);
    }

    @Test
    void aPlanOfAnotherPairIsRefusedOnceThereIsAPair() throws IOException {
        String other = TestPlans.PAIR.replace("name: site-17", "name: other");
        commands.answer(ACCEPT, 0, "", "").answer(ENABLE_AGENT, 0, "", "");
        // Nobody has made a pair of it yet, so a wrong name can still be corrected.
        apply(other, "node-0").prepare();
        apply(TestPlans.PAIR, "node-0").prepare();
        Files.writeString(corosyncConf(), Recording.read("set-up/corosync.conf"));
        ClusterApply apply = apply(other, "node-0");

        for (Runnable attempt :
                List.<Runnable>of(apply::requireReady, apply::prepare, apply::apply)) {
            assertThatThrownBy(attempt::run)
                    .isInstanceOfSatisfying(
                            Failure.class,
                            failure -> {
                                assertThat(failure.what())
                                        .isEqualTo(
                                                "this node belongs to the pair site-17, the plan is"
                                                        + " for other");
                                assertThat(failure.remedy()).contains("docs/guide/day-2.md");
                            });
        }
        assertThat(ClusterPlan.read(etc("cluster.yaml")).name()).isEqualTo("site-17");
        apply(TestPlans.PAIR, "node-0").requireReady();
    }

    @Test
    void theAddressesOfAPairStay() throws IOException {
        Files.writeString(corosyncConf(), Recording.read("set-up/corosync.conf"));
        commands.answer("env TZ=UTC crm_mon", 102, "", "error: not connected");
        ClusterApply moved =
                apply(TestPlans.PAIR.replace("[10.90.0.11,", "[10.90.0.12,"), "node-0");

        for (Runnable attempt : List.<Runnable>of(moved::difference, moved::apply)) {
            assertThatThrownBy(attempt::run)
                    .isInstanceOf(Failure.class)
                    .hasMessageStartingWith("addresses of a running pair cannot be changed")
                    .hasMessageContaining("node-1 has 10.90.0.11, 10.91.0.11");
        }
        String oneLink = TestPlans.PAIR.replaceAll(", 10.91.0.1[01]", "");
        assertThat(apply(oneLink, "node-0").difference()).isNotEmpty();
    }

    @Test
    void aNodeHasAnAddressOfItsPlan() {
        address = "192.0.2.7";

        assertThatThrownBy(() -> apply(TestPlans.PAIR, "node-0").requireReady())
                .isInstanceOf(Failure.class)
                .hasMessageContaining("the plan says 10.90.0.10, 10.91.0.10")
                .hasMessageContaining("this node has 192.0.2.7");
    }

    @Test
    void aNodeIsPreparedOnceItsFilesAreThereAndItsAgentRuns() {
        commands.answer(ACCEPT, 0, "", "")
                .answer(ENABLE_AGENT, 0, "", "")
                .answer("systemctl is-active tandem-agent.service", 3, "inactive\n", "")
                .answer("systemctl is-active tandem-agent.service", 0, "active\n", "");

        assertThat(apply(TestPlans.PAIR, "node-0").isPrepared()).isFalse();
        apply(TestPlans.PAIR, "node-0").prepare();
        assertThat(apply(TestPlans.PAIR, "node-0").isPrepared()).as("no agent").isFalse();
        assertThat(apply(TestPlans.PAIR, "node-0").isPrepared()).isTrue();
    }

    @Test
    void bothBmcsThatCannotFenceAreTold() {
        String plan =
                TestPlans.PAIR
                        .replace("10.92.0.100", "127.0.0.1:1")
                        .replace("10.92.0.101", "127.0.0.1:2");

        assertThatThrownBy(() -> apply(plan, "node-0").checkBmcs())
                .isInstanceOf(Failure.class)
                .hasMessageContaining("the BMC of node-0")
                .hasMessageContaining("the BMC of node-1");
    }

    @Test
    void whereKubernetesIsPlannedOnlyPacemakerStartsKubelet() {
        commands.answer("systemctl cat kubelet.service", 0, "", "")
                .answer(ACCEPT, 0, "", "")
                .answer(ENABLE_AGENT, 0, "", "")
                .answer("systemctl disable kubelet.service", 0, "", "");

        apply(TestPlans.PAIR + "kubelet: true\n", "node-0").prepare();

        assertThat(commands.ran.getLast())
                .isEqualTo(List.of("systemctl", "disable", "kubelet.service"));
    }

    @Test
    void aBmcThatDoesNotAnswerStopsItBeforeAnythingIsChanged() {
        // Nobody listens on the first two ports.
        String plan =
                TestPlans.PAIR
                        .replace("10.92.0.100", "127.0.0.1:1")
                        .replace("10.92.0.101", "127.0.0.1:2");

        assertThatThrownBy(() -> apply(plan, "node-0").apply())
                .isInstanceOf(Failure.class)
                .hasMessageContaining("the BMC of node-");

        assertThat(etc("cluster.yaml")).doesNotExist();
        assertThat(directory.resolve("installing")).doesNotExist();
        assertThat(commands.ran).containsExactly(LOOK_FOR_AGENT);
    }

    private static final String SET_UP = "pcs cluster setup site-17";

    /** The plan may then be applied on the other node, and one mark is enough. */
    @Test
    void aSetUpThatFailedLeavesNoMarkOfAnInstallation() {
        commands.answer(SET_UP, 1, "", "Error: node-1: Running cluster services: 'corosync'");

        assertThatThrownBy(() -> apply(TestPlans.PAIR, "node-0").setUp())
                .isInstanceOf(Failure.class);

        assertThat(directory.resolve("installing")).doesNotExist();
    }

    /** The next run on this node finds a cluster, and sets no mark. */
    @Test
    void aSetUpThatFailedHalfwayLeavesTheMark() throws IOException {
        commands.answer(SET_UP, 1, "", "Error: unable to enable the cluster on node-1");
        Files.writeString(corosyncConf(), EXAMPLE.replace("127.0.0.1", "10.90.0.10"));

        assertThatThrownBy(() -> apply(TestPlans.PAIR, "node-0").setUp())
                .isInstanceOf(Failure.class);

        assertThat(directory.resolve("installing")).exists();
    }

    @Test
    void aSetUpLeavesTheMarkOfAnInstallation() {
        commands.answer(SET_UP, 0, "", "");

        apply(TestPlans.PAIR, "node-0").setUp();

        assertThat(directory.resolve("installing")).exists();
    }

    private ClusterApply apply(String plan, String self) {
        return new ClusterApply(
                TestPlans.read(directory, plan),
                self,
                commands,
                steps::add,
                new ClusterApply.Places(
                        directory.resolve("etc"),
                        corosyncConf(),
                        directory.resolve("installing"),
                        directory.resolve("known-hosts"),
                        directory.resolve("pki"),
                        directory.resolve("IPaddr2"),
                        () -> Set.of(InetAddress.ofLiteral(address))));
    }

    private Path corosyncConf() {
        return directory.resolve("corosync.conf");
    }

    private Path etc(String file) {
        return directory.resolve("etc").resolve(file);
    }
}
