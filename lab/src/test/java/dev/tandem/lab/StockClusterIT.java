package dev.tandem.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.Commands;
import dev.tandem.lab.daemon.LabBmc;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.TimelineEvent;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcBehaviour.Reachability;
import dev.tandem.redfishsim.BmcEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Proof that the machines are real: a cluster set up with plain pcs and the stock fence agent, none
 * of which know of us, fences and recovers on them as on hardware.
 */
class StockClusterIT {
    private static final Duration PCS = Duration.ofMinutes(2);
    private static final Duration RECOVERY = Duration.ofMinutes(3);

    @RegisterExtension
    static final SharedLab SHARED = SharedLab.of(LabSpec.twoNodes("it").withLinks(2));

    private final Lab lab = SHARED.lab();

    @BeforeAll
    static void setUpACluster() {
        Lab lab = SHARED.lab();
        NodeHandle node = lab.node("node-0");
        for (NodeHandle one : lab.nodes()) {
            if (one.isOff()) {
                one.power(LabRequest.PowerAction.ON);
            }
            lab.await(one.name() + " is up", Duration.ofMinutes(2), one::isUp);
        }
        node.must(
                PCS,
                "pcs",
                "host",
                "auth",
                "-u",
                "hacluster",
                "-p",
                "tandem-lab",
                "node-0",
                "node-1");
        node.must(
                PCS,
                "pcs",
                "cluster",
                "setup",
                "stock",
                "node-0",
                "addr=10.77.0.10",
                "node-1",
                "addr=10.77.0.11",
                "--start",
                "--enable",
                "--wait=100");
        node.must(PCS, "pcs", "property", "set", "dc-deadtime=5s");
        for (String victim : List.of("node-0", "node-1")) {
            node.must(
                    PCS,
                    "pcs",
                    "stonith",
                    "create",
                    "shoot-" + victim,
                    "fence_redfish",
                    "ip=" + victim + "-bmc",
                    "username=admin",
                    "password=" + LabBmc.passwordOf(victim),
                    "systems_uri=/redfish/v1/Systems/1",
                    "ssl_insecure=1",
                    "pcmk_host_list=" + victim,
                    // Only one of two nodes that fence each other may win, also where the agent
                    // of the quicker one takes long to begin.
                    "pcmk_delay_base=" + (victim.equals("node-0") ? "20s" : "1s"));
        }
        node.must(PCS, "pcs", "resource", "create", "canary", "ocf:pacemaker:Dummy");
        lab.await("the cluster is whole", RECOVERY, () -> isWhole(lab));
    }

    /** Other tests break the same networks and want nobody fenced for it. */
    @AfterAll
    static void takeTheClusterDown() {
        SHARED.lab().node("node-0").must(PCS, "pcs", "cluster", "destroy", "--all", "--force");
    }

    private static boolean isWhole(Lab lab) {
        return lab.nodes().stream()
                .allMatch(node -> {
                    Commands.Output status =
                            node.run(PCS, "crm_mon", "--one-shot", "--output-as=xml");
                    return status.ok()
                            && status.out().contains("with_quorum=\"true\"")
                            && status.out().split("online=\"true\"", -1).length == 3
                            && !status.out().contains("unclean=\"true\"")
                            && status.out()
                                            .split(
                                                    "resource_agent=\"stonith:fence_redfish\""
                                                            + " role=\"Started\"",
                                                    -1)
                                            .length
                                    == 3;
                });
    }

    @BeforeEach
    void beginWhole() {
        lab.await("the cluster is whole", RECOVERY, () -> isWhole(lab));
        lab.node("node-0").must(PCS, "pcs", "stonith", "history", "cleanup");
    }

    @Test
    void aNodeThatLosesPowerIsFencedRebootedAndRejoins() {
        Instant crash = Instant.now();
        lab.node("node-1").cutPower();

        lab.await("node-1 is fenced", RECOVERY, () -> shotSince(crash, "node-1") > 0);
        lab.await("node-1 has rejoined", RECOVERY, () -> isWhole(lab));

        assertThat(shotSince(crash, "node-0")).as("fences of the survivor").isZero();
        assertThat(countSince(crash, "node-1", TimelineEvent.PowerOn.class)).isPositive();
    }

    @Test
    void aCutOfTheClusterNetworkShootsExactlyOneNode() {
        Instant cut = Instant.now();
        lab.split("cluster0");

        lab.await(
                "somebody is fenced",
                RECOVERY,
                () -> shotSince(cut, "node-0") + shotSince(cut, "node-1") > 0);
        lab.heal();
        lab.await("the cluster is whole again", RECOVERY, () -> isWhole(lab));

        assertThat(List.of(powerCutsSince(cut, "node-0"), powerCutsSince(cut, "node-1")))
                .as("power cuts of node-0 and node-1")
                .containsExactlyInAnyOrder(0L, 1L);
    }

    @Test
    void whileTheBmcIsUnreachableTheSurvivorStaysBlocked() {
        NodeHandle survivor = lab.node("node-0");
        survivor.must(PCS, "pcs", "resource", "move", "canary", "node-1", "--wait=60");
        lab.node("node-1")
                .bmcBehaves(BmcBehaviour.FAULTLESS.withReachability(Reachability.HANGS_UP));

        lab.node("node-1").cutPower();

        lab.await(
                "a fence failed",
                RECOVERY,
                () ->
                        survivor.run(PCS, "crm_mon", "--one-shot", "--output-as=xml")
                                .out()
                                .contains("status=\"failed\""));
        String status = survivor.must(PCS, "crm_mon", "--one-shot", "--output-as=xml");
        assertThat(status)
                .as("the lost node may still run")
                .containsPattern("<node name=\"node-1\"[^>]*unclean=\"true\"");
        assertThat(survivor.must(PCS, "crm_resource", "--locate", "--resource", "canary"))
                .as("the resource must not run in two places")
                .doesNotContain("node-0");

        // Pacemaker gives up after ten attempts; the node that comes back by hand settles it.
        lab.heal();
        lab.node("node-1").power(LabRequest.PowerAction.ON);
        lab.await("the cluster is whole again", RECOVERY, () -> isWhole(lab));
    }

    private long shotSince(Instant since, String node) {
        return lab.timeline().stream()
                .filter(entry ->
                        entry.event() instanceof TimelineEvent.Bmc bmc
                                && bmc.kind() == BmcEvent.Kind.RESET_REQUESTED
                                && !bmc.byLab())
                .filter(entry -> entry.subject().equals(node))
                .filter(entry -> entry.at().isAfter(since))
                .count();
    }

    private long powerCutsSince(Instant since, String node) {
        return countSince(since, node, TimelineEvent.PowerCut.class);
    }

    private long countSince(Instant since, String node, Class<? extends TimelineEvent> event) {
        return lab.timeline().stream()
                .filter(entry -> event.isInstance(entry.event()))
                .filter(entry -> entry.subject().equals(node))
                .filter(entry -> entry.at().isAfter(since))
                .count();
    }
}
