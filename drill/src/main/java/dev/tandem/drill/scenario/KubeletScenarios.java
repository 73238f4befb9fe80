package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.lab.pair.Pair;
import java.time.Duration;
import java.util.List;

/** What Pacemaker runs beside etcd fails. A process that only waits stands for kubelet. */
final class KubeletScenarios {
    private static final String UNIT = "/etc/systemd/system/kubelet.service";
    private static final String PROGRAM = "/usr/local/bin/stand-in";

    private KubeletScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.slow(
                                "kubelet-fails",
                                "kubelet dies and is started again while etcd runs on; then it"
                                        + " cannot be stopped, and its node is fenced.",
                                "TL35",
                                300,
                                KubeletScenarios::kubeletFails)
                        .withoutKubernetes());
    }

    private static void kubeletFails(ScenarioContext drill) throws Exception {
        drill.step("Pacemaker runs kubelet too");
        // With systemd's usual patience, as kubelet has it. In the end systemd calls a unit stopped
        // though nobody could end its process; Pacemaker would believe that, but gives up before.
        for (String node : Pair.NODES) {
            drill.must(node, "cp", "/usr/bin/sleep", PROGRAM);
            drill.node(node)
                    .write(
                            UNIT,
                            "0644",
                            """
                            [Service]
                            ExecStart=%s infinity
                            """
                                    .formatted(PROGRAM));
            drill.must(node, "systemctl", "daemon-reload");
        }
        try {
            drill.apply("kubelet: true");
            awaitKubelets(drill);
            drill.awaitSettled();
            long killed = drill.step("kill kubelet of node-1");
            drill.node("node-1").kill("stand-in", "KILL");
            drill.await(
                    "kubelet of node-1 is gone",
                    ScenarioContext.SHORT,
                    () -> !runs(drill, "node-1"));
            awaitKubelets(drill);
            drill.awaitSettled();
            drill.awaitWrites();
            drill.expect(
                    !drill.happened("node-0", JournalEvent.EtcdExited.class, killed)
                            && !drill.happened("node-0", JournalEvent.StopRequested.class, killed),
                    "etcd of node-0 is left alone");
            drill.expectNoFence();
            long held = drill.step("kubelet of node-1 cannot be ended, and has to be stopped");
            drill.node("node-1").hold("stand-in");
            drill.must("node-0", "pcs", "node", "standby", "node-1");
            drill.awaitEvent("node-0", JournalEvent.Fenced.class, held, Duration.ofMinutes(5));
            drill.awaitAlone("node-0");
            drill.must("node-0", "pcs", "node", "unstandby", "node-1");
            awaitKubelets(drill);
            drill.awaitSettled();
            drill.expectFences(1);
        } finally {
            drill.step("Pacemaker runs etcd alone again");
            drill.lab().heal();
            drill.apply("");
        }
        drill.awaitSteady();
    }

    private static void awaitKubelets(ScenarioContext drill) {
        drill.await(
                "kubelet runs on both nodes",
                ScenarioContext.REDUNDANCY,
                () -> Pair.NODES.stream().allMatch(node -> runs(drill, node)));
    }

    private static boolean runs(ScenarioContext drill, String node) {
        return drill.node(node)
                .run(ScenarioContext.SHORT, "systemctl", "is-active", "kubelet")
                .ok();
    }
}
