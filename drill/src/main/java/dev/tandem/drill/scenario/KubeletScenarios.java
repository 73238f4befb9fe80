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

    private static void kubeletFails(ScenarioContext stage) throws Exception {
        stage.step("Pacemaker runs kubelet too");
        // With systemd's usual patience, as kubelet has it. In the end systemd calls a unit stopped
        // though nobody could end its process; Pacemaker would believe that, but gives up before.
        for (String node : Pair.NODES) {
            stage.must(node, "cp", "/usr/bin/sleep", PROGRAM);
            stage.node(node)
                    .write(
                            UNIT,
                            "0644",
                            """
                            [Service]
                            ExecStart=%s infinity
                            """
                                    .formatted(PROGRAM));
            stage.must(node, "systemctl", "daemon-reload");
        }
        try {
            stage.apply("kubelet: true");
            awaitKubelets(stage);
            stage.awaitSettled();
            long killed = stage.step("kill kubelet of node-1");
            stage.node("node-1").kill("stand-in", "KILL");
            stage.await(
                    "kubelet of node-1 is gone",
                    ScenarioContext.SHORT,
                    () -> !runs(stage, "node-1"));
            awaitKubelets(stage);
            stage.awaitSettled();
            stage.awaitWrites();
            stage.expect(
                    !stage.happened("node-0", JournalEvent.EtcdExited.class, killed)
                            && !stage.happened("node-0", JournalEvent.StopRequested.class, killed),
                    "etcd of node-0 is left alone");
            stage.expectNoFence();
            long held = stage.step("kubelet of node-1 cannot be ended, and has to be stopped");
            stage.node("node-1").hold("stand-in");
            stage.must("node-0", "pcs", "node", "standby", "node-1");
            stage.awaitEvent("node-0", JournalEvent.Fenced.class, held, Duration.ofMinutes(5));
            stage.awaitAlone("node-0");
            stage.must("node-0", "pcs", "node", "unstandby", "node-1");
            awaitKubelets(stage);
            stage.awaitSettled();
            stage.expectFences(1);
        } finally {
            stage.step("Pacemaker runs etcd alone again");
            stage.lab().heal();
            stage.apply("");
        }
        stage.awaitCalm();
    }

    private static void awaitKubelets(ScenarioContext stage) {
        stage.await(
                "kubelet runs on both nodes",
                ScenarioContext.REDUNDANCY,
                () -> Pair.NODES.stream().allMatch(node -> runs(stage, node)));
    }

    private static boolean runs(ScenarioContext stage, String node) {
        return stage.node(node)
                .run(ScenarioContext.SHORT, "systemctl", "is-active", "kubelet")
                .ok();
    }
}
