package dev.tandem.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.BmcIdentity;
import dev.tandem.cli.cluster.FencingCheckCommand.Checked;
import dev.tandem.cli.cluster.FencingCheckCommand.Fencing;
import dev.tandem.cli.cluster.FencingCheckCommand.Hindrance;
import dev.tandem.cli.cluster.FencingCheckCommand.Speed;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodePasswords;
import dev.tandem.host.testing.PatientCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A BMC that works is of no use while nobody would ask it. */
class FencingCheckTest {
    private static final List<String> NODES = List.of("node-0", "node-1");

    private static PacemakerStatus pacemaker(String options, String device) {
        StringBuilder resources = new StringBuilder();
        for (String node : NODES) {
            for (String kind : List.of("fence", "redfish")) {
                resources.append(
                        "<resource id='tandem-%s-%s' role='Started' active='true' managed='true' %s/>"
                                .formatted(kind, node, node.equals("node-1") ? device : ""));
            }
        }
        return PacemakerStatus.parse(
                "<pacemaker-result><summary><cluster_options %s/></summary><nodes/><resources>%s</resources></pacemaker-result>"
                        .formatted(options, resources));
    }

    private static Fencing fencing(PacemakerStatus pacemaker) {
        return new Fencing(
                NODES.stream()
                        .map(node ->
                                Checked.of(
                                        new BmcPreflight.Proof(
                                                node,
                                                PowerState.ON,
                                                BmcPrivileges.MayReset.YES,
                                                Optional.of("same UUID"),
                                                false)))
                        .toList(),
                FencingCheckCommand.hindrances(pacemaker, NODES),
                List.of());
    }

    @Test
    void aWarningKeepsNobodyFromFencing() {
        Fencing well = fencing(pacemaker("", ""));
        Fencing warned =
                new Fencing(
                        well.bmcs(),
                        well.pacemaker(),
                        List.of(
                                new FencingCheckCommand.Hindrance(
                                        "BMC_BEHIND_CLUSTER_NETWORK", "one way to both", "two")));

        assertThat(warned.fit()).isTrue();
        assertThat(warned.text())
                .startsWith("Each node can be switched off by its BMC.\n")
                .endsWith("  warning: one way to both\n    fix: two\n");
    }

    private static AgentStatus.FencingLine line(
            String node, @Nullable Boolean second, @Nullable Long took, @Nullable Long fits) {
        return new AgentStatus.FencingLine(
                node,
                PowerReading.ON,
                null,
                null,
                null,
                "",
                BmcIdentity.SAME,
                "",
                second,
                null,
                List.of(),
                took,
                fits);
    }

    /** The figure that a person has to choose before anything was measured. */
    @Test
    void eachBmcIsToldWithWhatSwitchingOffTook(@TempDir Path directory) throws IOException {
        ClusterPlan plan =
                ClusterPlan.read(
                        Files.writeString(
                                directory.resolve("cluster.yaml"),
                                """
                                apiVersion: tandem.dev/v1
                                kind: ClusterPlan
                                name: test
                                bmcOff: 4s
                                nodes:
                                  - name: node-0
                                    addresses: [192.0.2.10]
                                    bmc:
                                      address: ipmi://198.51.100.110
                                      username: fencer
                                      passwordFile: node-0.password
                                  - name: node-1
                                    addresses: [192.0.2.11]
                                    bmc:
                                      address: ipmi://198.51.100.111
                                      username: fencer
                                      passwordFile: node-1.password
                                """));
        List<AgentStatus.FencingLine> lines =
                List.of(
                        line("node-0", null, null, null),
                        line("node-1", true, 1L, 1L),
                        line("node-1", null, 6100L, 7L));
        Fencing fencing =
                new Fencing(
                        fencing(pacemaker("", "")).bmcs().stream()
                                .map(one -> one.with(Speed.of(plan, one.node(), lines)))
                                .toList(),
                        List.of(),
                        List.of());

        assertThat(fencing.text())
                .isEqualTo(
                        """
                        Each node can be switched off by its BMC.
                          BMC of node-0: reads on, controls the right machine (same UUID); its account may switch power
                            how long switching off takes was not measured from this node yet; the plan has bmcOff: 4.0 s
                          BMC of node-1: reads on, controls the right machine (same UUID); its account may switch power
                            switching off took 6.1 s, so bmcOff: 7s is enough; the plan has bmcOff: 4.0 s
                        """);
        JsonNode bmcs =
                JsonMapper.builder()
                        .addModule(new Jdk8Module())
                        .build()
                        .valueToTree(fencing)
                        .path("bmcs");
        assertThat(bmcs.get(0).path("speed").path("switchOffMillis").isNull()).isTrue();
        assertThat(bmcs.get(1).path("speed").path("switchOffMillis").asLong()).isEqualTo(6100);
        assertThat(bmcs.get(1).path("speed").path("fittingBmcOffSeconds").asLong()).isEqualTo(7);
        assertThat(bmcs.get(1).path("speed").path("plannedBmcOffMillis").asLong()).isEqualTo(4000);
    }

    /** A real program, and the real systemd-creds with a key that is not this machine's. */
    @Test
    void aSourceThatHasAnotherPasswordOrNoneIsToldWithoutIt(@TempDir Path directory)
            throws IOException {
        Path store = Files.writeString(directory.resolve("store"), "hunter2\n");
        Path file =
                Files.writeString(
                        directory.resolve("cluster.yaml"),
                        """
                        apiVersion: tandem.dev/v1
                        kind: ClusterPlan
                        name: test
                        nodes:
                          - name: node-0
                            addresses: [192.0.2.10]
                            bmc:
                              address: ipmi://198.51.100.110
                              username: fencer
                              passwordFile: node-0.password
                          - name: node-1
                            addresses: [192.0.2.11]
                            bmc:
                              address: ipmi://198.51.100.111
                              username: fencer
                              password: {program: [/bin/cat, %s], cacheFile: kept}
                        """
                                .formatted(store));
        NodePasswords passwords =
                new NodePasswords((limit, command, stdin) ->
                        new PatientCommands()
                                .run(
                                        limit,
                                        Stream.concat(
                                                        Stream.of(
                                                                "env",
                                                                "SYSTEMD_CREDENTIAL_SECRET="
                                                                        + directory.resolve("key")),
                                                        command.stream())
                                                .toList(),
                                        stdin));
        ClusterPlan plan = ClusterPlan.read(file);
        passwords.write(plan.nodes().getLast(), "hunter2");

        assertThat(FencingCheckCommand.ofSource(plan.nodes().getFirst(), passwords)).isEmpty();
        assertThat(FencingCheckCommand.ofSource(plan.nodes().getLast(), passwords)).isEmpty();
        Files.writeString(store, "hunter3\n");
        assertThat(FencingCheckCommand.ofSource(plan.nodes().getLast(), passwords))
                .hasValueSatisfying(found -> {
                    assertThat(found.why())
                            .isEqualTo(
                                    "the program /bin/cat has a different password for the BMC of"
                                            + " node-1 from the one in use");
                    assertThat(found.toString()).doesNotContain("hunter");
                });
        Files.delete(store);
        assertThat(FencingCheckCommand.ofSource(plan.nodes().getLast(), passwords))
                .hasValueSatisfying(found ->
                        assertThat(found.why())
                                .startsWith(
                                        "the password for the BMC of node-1 cannot be read from the"
                                                + " program /bin/cat (it ended with exit code 1"));
    }

    @Test
    void whoBelievesAnybodyIsWarned(@TempDir Path directory) throws IOException {
        Path file =
                Files.writeString(
                        directory.resolve("cluster.yaml"),
                        """
                        apiVersion: tandem.dev/v1
                        kind: ClusterPlan
                        name: test
                        nodes:
                          - name: node-0
                            addresses: [192.0.2.10]
                            bmc:
                              address: redfish+http://198.51.100.110/redfish/v1/Systems/1
                              username: fencer
                              passwordFile: node-0.password
                              certificate: unverified
                          - name: node-1
                            addresses: [192.0.2.11]
                            bmc:
                              address: ipmi://198.51.100.111
                              username: fencer
                              passwordFile: node-1.password
                        """);

        assertThat(FencingCheckCommand.levels(ClusterPlan.read(file)))
                .extracting(FencingCheckCommand.Hindrance::cause)
                .containsExactly("BMC_UNVERIFIED", "ONE_FENCING_LEVEL");
    }

    @Test
    void aPairThatIsWellIsFit() {
        Fencing fencing = fencing(pacemaker("", ""));

        assertThat(fencing.fit()).isTrue();
        assertThat(fencing.text()).startsWith("Each node can be switched off by its BMC.\n");
    }

    @Test
    void disabledDevicesAreAFinding() {
        Fencing fencing = fencing(pacemaker("", "target_role='Stopped'"));

        assertThat(fencing.fit()).isFalse();
        assertThat(fencing.text())
                .startsWith(
                        "Each BMC can switch its node off, but Pacemaker's fencing needs"
                                + " attention:\n")
                .contains("pcs stonith enable tandem-fence-node-1 tandem-redfish-node-1");
    }

    @Test
    void fencingOffAndMaintenanceAreToldOnceForBothNodes() {
        assertThat(
                        fencing(pacemaker("stonith-enabled='false' maintenance-mode='true'", ""))
                                .pacemaker())
                .extracting(Hindrance::cause)
                .containsExactly("MAINTENANCE", "FENCING_OFF");
    }

    @Test
    void aPacemakerThatCannotBeAskedIsAFinding() {
        Fencing fencing = fencing(new PacemakerStatus.Unknown("not connected"));

        assertThat(fencing.fit()).isFalse();
        assertThat(fencing.text()).contains("Pacemaker cannot be asked: not connected");
    }
}
