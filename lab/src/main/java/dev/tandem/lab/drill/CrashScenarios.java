package dev.tandem.lab.drill;

import dev.tandem.lab.failover.Pair;
import java.time.Duration;
import java.util.List;

/** A node is gone from one moment to the next. */
final class CrashScenarios {
    private CrashScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "leader-loses-power",
                        "The leader loses power; it is fenced, and the other serves on with all"
                                + " that was acknowledged.",
                        "T7 T8",
                        25,
                        stage -> losesPower(stage, stage.leader())),
                Scenario.quick(
                        "follower-loses-power",
                        "The follower loses power; it is fenced before the leader writes alone.",
                        "T6 T8",
                        25,
                        stage -> losesPower(stage, stage.follower())));
    }

    private static void losesPower(Stage stage, String victim) {
        String survivor = Pair.peerOf(victim);
        long cut = stage.step("cut the power of " + victim);
        stage.node(victim).cutPower();
        stage.awaitAlone(survivor);
        stage.figureOfGap("crash to first write", cut, Duration.ofSeconds(60));
        stage.step(survivor + " serves alone");
        List<String> events = stage.events(survivor, cut);
        stage.expect(
                inOrder(events, "fence-ordered", "fenced", "take-over", "serving"),
                "fenced before the take-over, and serving after it, not " + events);
        stage.awaitSettled();
        stage.expectFences(1);
    }

    /** Whether the events happened in this order, whatever else happened between them. */
    static boolean inOrder(List<String> events, String... wanted) {
        int at = 0;
        for (String event : events) {
            if (at < wanted.length && event.equals(wanted[at])) {
                at++;
            }
        }
        return at == wanted.length;
    }
}
