package dev.tandem.lab.drill;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.lab.bmc.BmcBehaviour;
import java.time.Duration;
import java.util.List;

/** The power button cannot be reached, is slow, or lies. */
final class BmcScenarios {
    /** The agents look at the BMCs four times a minute. */
    private static final Duration ALARM = Duration.ofMinutes(1);

    private BmcScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "bmc-without-a-key",
                        "The BMC refuses the password; the status says so before its node dies, and"
                                + " then nobody takes over until a person has seen the node off.",
                        "T30",
                        60,
                        BmcScenarios::withoutAKey),
                Scenario.unhurried(
                        "bmc-repaired",
                        "The BMC cannot be reached when its node dies; once it can be reached again"
                                + " the node is fenced and the other takes over, without a person.",
                        "T30",
                        150,
                        BmcScenarios::repaired));
    }

    private static void withoutAKey(Stage stage) {
        misbehaves(
                stage,
                "the BMC of node-1 has another password now",
                BmcBehaviour.FAULTLESS.withCredentialsRotated(true));
        dies(stage);
        long stated = stage.step("a person states that node-1 is off");
        stage.confirmPeerOff("node-0");
        stage.awaitAlone("node-0");
        stage.figure(
                "statement to first write",
                Duration.ofNanos(stage.writer().firstAfter(stated).orElseThrow() - stated),
                Duration.ofSeconds(30));
        stage.step("the password is right again, and node-1 is switched on");
        stage.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        stage.powerOn("node-1");
        stage.awaitSettled();
    }

    private static void repaired(Stage stage) {
        misbehaves(
                stage,
                "the BMC of node-1 cannot be reached",
                BmcBehaviour.FAULTLESS.withReachability(BmcBehaviour.Reachability.SILENT));
        dies(stage);
        long mended = stage.step("the BMC can be reached again");
        stage.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        stage.await(
                "node-1 is fenced",
                Duration.ofMinutes(4),
                () -> stage.events("node-0", mended).contains("fenced"));
        stage.awaitAlone("node-0");
        stage.figure(
                "repair to first write",
                Duration.ofNanos(stage.writer().firstAfter(mended).orElseThrow() - mended),
                Duration.ofSeconds(90));
        stage.awaitSettled();
        stage.expectFences(1);
    }

    private static void misbehaves(Stage stage, String what, BmcBehaviour behaviour) {
        long begun = stage.step(what);
        stage.node("node-1").bmcBehaves(behaviour);
        stage.await(
                "the status of node-0 shows the fault of node-1's BMC",
                ALARM,
                () -> !faultOf(stage, "node-1").isEmpty());
        stage.figure(
                "fault to alarm",
                Duration.ofNanos(System.nanoTime() - begun),
                Duration.ofMinutes(5));
    }

    private static String faultOf(Stage stage, String node) {
        JsonNode lines = stage.pair().status("node-0").orElseThrow().path("fencing");
        for (JsonNode line : lines) {
            if (line.path("node").asText().equals(node)) {
                return line.path("fault").asText();
            }
        }
        return "";
    }

    /** The power of node-1 goes, fencing fails, and nothing is concluded from that. */
    private static void dies(Stage stage) {
        long cut = stage.step("cut the power of node-1");
        stage.node("node-1").cutPower();
        stage.awaitEvent("node-0", "fence-answered", cut, Stage.RECOVERY);
        stage.expect(stage.pair().health("node-0").equals("DOWN"), "node-0 does not serve");
        stage.expect(stage.runsEtcd("node-0"), "etcd of node-0 is left up for stale reads");
        stage.expectFences(0);
        stage.expectNoTakeOver();
    }
}
