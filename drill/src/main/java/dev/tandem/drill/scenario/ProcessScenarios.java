package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.Failure;
import dev.tandem.core.decision.Decision;
import dev.tandem.lab.pair.Pair;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** A process dies or hangs while its machine lives. */
final class ProcessScenarios {
    private static final String ETCD = "etcd";

    private ProcessScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "etcd-killed",
                        "etcd is killed on the leader and on the follower; each time it starts"
                                + " again on its own data, and nobody is fenced.",
                        "TL16",
                        12,
                        ProcessScenarios::etcdKilled),
                Scenario.slow(
                        "etcd-killed-four-times",
                        "etcd of one node is killed four times within two minutes; each time it"
                                + " starts again on its own data.",
                        "TL16",
                        40,
                        ProcessScenarios::etcdKilledFourTimes),
                Scenario.slow(
                        "etcd-in-a-crash-loop",
                        "etcd of one node dies as often as it is started; at the fifth time within"
                                + " two minutes the node stands down, the other takes over without"
                                + " a fence, and takes it back later.",
                        "TL16",
                        80,
                        ProcessScenarios::crashLoop),
                Scenario.quick(
                        "both-etcds-killed",
                        "etcd is killed on both nodes at once, again and again; both start again on"
                                + " their own data.",
                        "TL17",
                        15,
                        ProcessScenarios::bothKilled),
                Scenario.slow(
                        "sole-voter-killed",
                        "etcd of the only voter is killed while the peer is without power; it"
                                + " starts again as the only voter.",
                        "TL17",
                        50,
                        ProcessScenarios::soleVoterKilled),
                Scenario.slow(
                        "learner-killed",
                        "etcd of a learner is killed before it has caught up; it starts again,"
                                + " learns on, and votes in the end.",
                        "TL17",
                        60,
                        ProcessScenarios::learnerKilled),
                Scenario.quick(
                        "agents-killed",
                        "The agents of both nodes are killed; etcd does not notice.",
                        "TL37",
                        10,
                        ProcessScenarios::agentsKilled),
                Scenario.slow(
                        "agents-killed-at-random",
                        "The agents are killed twenty times at random moments under load; nothing"
                                + " is done twice, and nobody is fenced.",
                        "TL37",
                        90,
                        ProcessScenarios::agentsKilledAtRandom),
                Scenario.slow(
                        "killed-while-the-peer-starts",
                        "The agent or etcd of one node is killed at each step of the other's start;"
                                + " no step waits for ever.",
                        "TL25",
                        200,
                        ProcessScenarios::killedWhileThePeerStarts));
    }

    private static void etcdKilled(ScenarioContext stage) {
        for (String role : List.of("leader", "follower")) {
            String node = role.equals("leader") ? stage.leader() : stage.follower();
            killed(stage, node, role);
        }
        stage.expectNoFence();
        stage.expectNoTakeOver();
    }

    private static void killed(ScenarioContext stage, String node, String role) {
        String member = memberOf(stage, node);
        long killed = stage.step("kill etcd of %s, the %s".formatted(node, role));
        stage.node(node).kill(ETCD, "KILL");
        stage.awaitEvent(node, JournalEvent.EtcdExited.class, killed, ScenarioContext.RECOVERY);
        stage.awaitEvent(node, JournalEvent.Serving.class, killed, ScenarioContext.RECOVERY);
        stage.awaitWrites();
        stage.figureOfGap("kill of the %s to first write".formatted(role), killed, GAP);
        stage.expectNothingSetAside(killed);
        stage.expect(memberOf(stage, node).equals(member), node + " is the same member as before");
    }

    private static final Duration GAP = Duration.ofSeconds(10);

    private static String memberOf(ScenarioContext stage, String node) {
        return stage.pair().own(node).orElseThrow().memberId();
    }

    private static void etcdKilledFourTimes(ScenarioContext stage) {
        forgetDeaths(stage);
        for (int i = 1; i <= 4; i++) {
            killed(stage, "node-1", "victim, time " + i);
        }
        stage.expectNoFence();
        stage.expectNoTakeOver();
    }

    /** Agents count the deaths of the last minutes, those of the scenario before too. */
    private static void forgetDeaths(ScenarioContext stage) {
        stage.step("restart the agents");
        for (String node : Pair.NODES) {
            stage.must(node, "systemctl", "restart", "tandem-agent.service");
        }
        stage.awaitSettled();
    }

    private static void crashLoop(ScenarioContext stage) throws InterruptedException {
        long begun = stage.step("kill etcd of node-1 as often as it is there");
        long end = begun + Duration.ofMinutes(2).toNanos();
        while (!stoodDown(stage, begun) && System.nanoTime() - end < 0) {
            try {
                stage.node("node-1").kill(ETCD, "KILL");
            } catch (Failure e) {
                // Between two lives there is nothing to kill.
                stage.pause(Duration.ofMillis(20));
            }
        }
        stage.expect(stoodDown(stage, begun), "node-1 stands down");
        stage.step("node-1 has stood down");
        stage.awaitSettled();
        stage.awaitWrites();
        stage.figureOfGap("first kill to first write", begun, Duration.ofSeconds(60));
        stage.expectNoFence();
        stage.expect(
                !stage.journal("node-0", JournalEvent.TakeOver.class, begun).isEmpty(),
                "node-0 took over meanwhile");
    }

    private static boolean stoodDown(ScenarioContext stage, long since) {
        return stage.journal("node-1", JournalEvent.Decided.class, since).stream()
                .anyMatch(made -> made.decision() instanceof Decision.StandDown);
    }

    private static void bothKilled(ScenarioContext stage) {
        forgetDeaths(stage);
        long begun = System.nanoTime();
        for (int i = 1; i <= 3; i++) {
            long killed = stage.step("kill both, time " + i);
            Pair.NODES.forEach(node -> stage.node(node).kill(ETCD, "KILL"));
            for (String node : Pair.NODES) {
                stage.awaitEvent(
                        node, JournalEvent.Serving.class, killed, ScenarioContext.RECOVERY);
            }
            stage.awaitWrites();
            stage.figureOfGap("kill %d to first write".formatted(i), killed, GAP);
        }
        stage.expectNoFence();
        stage.expectNoTakeOver();
        stage.expectNothingSetAside(begun);
    }

    private static void soleVoterKilled(ScenarioContext stage) {
        stage.step("pull the plug of node-1");
        stage.plugOut("node-1");
        stage.awaitAlone("node-0");
        stage.awaitWrites();
        long killed = stage.step("kill etcd of node-0, the only voter");
        stage.node("node-0").kill(ETCD, "KILL");
        stage.awaitEvent("node-0", JournalEvent.Serving.class, killed, ScenarioContext.RECOVERY);
        stage.awaitWrites();
        stage.figureOfGap("kill to first write", killed, GAP);
        stage.expectNoTakeOver(killed);
        stage.step("node-1 has power again");
        stage.plugIn("node-1");
        stage.awaitSettled();
        stage.expectNoTakeOver(killed);
    }

    private static void learnerKilled(ScenarioContext stage) {
        HeldLearner learning = HeldLearner.begin(stage, "node-1");
        long killed = stage.step("kill etcd of node-1, the learner");
        stage.node("node-1").kill(ETCD, "KILL");
        stage.await(
                "etcd of node-1 runs again",
                ScenarioContext.RECOVERY,
                () -> stage.runsEtcd("node-1"));
        learning.goOn();
        stage.awaitSettled();
        stage.expectNoTakeOver(killed);
    }

    private static void agentsKilled(ScenarioContext stage) {
        long killed = stage.step("kill both agents");
        for (String node : Pair.NODES) {
            kill(stage, node);
        }
        stage.awaitWrites();
        stage.awaitSettled();
        untouched(stage, killed);
    }

    private static void kill(ScenarioContext stage, String node) {
        stage.must(node, "systemctl", "kill", "-s", "KILL", "tandem-agent");
    }

    private static void untouched(ScenarioContext stage, long since) {
        for (String node : Pair.NODES) {
            stage.expect(
                    !stage.happened(node, JournalEvent.EtcdExited.class, since),
                    "etcd of " + node + " runs on");
        }
        stage.expectNoFence();
        stage.expectNoTakeOver();
        stage.expectNothingSetAside(since);
    }

    private static void agentsKilledAtRandom(ScenarioContext stage) throws InterruptedException {
        long begun = stage.step("kill an agent at random, twenty times");
        Random random = new Random(37);
        for (int i = 0; i < 20; i++) {
            stage.pause(Duration.ofMillis(random.nextInt(4000)));
            kill(stage, Pair.NODES.get(random.nextInt(2)));
        }
        stage.awaitSettled();
        untouched(stage, begun);
        stage.figureOfGap("longest write gap", begun, Duration.ofSeconds(1));
    }

    /** What of whom is killed when the starting node's journal says something. */
    private record Strike(Class<? extends JournalEvent> event, String process) {}

    private static void killedWhileThePeerStarts(ScenarioContext stage) {
        List<Strike> strikes =
                List.of(
                        new Strike(JournalEvent.AgentStarted.class, "agent"),
                        new Strike(JournalEvent.MembershipChanged.class, ETCD),
                        new Strike(JournalEvent.StartRequested.class, "agent"),
                        new Strike(JournalEvent.Decided.class, ETCD),
                        new Strike(JournalEvent.Serving.class, "agent"),
                        new Strike(JournalEvent.ReplicaComplete.class, ETCD));
        for (int i = 0; i < strikes.size(); i++) {
            Strike strike = strikes.get(i);
            String starts = Pair.NODES.get(i % 2);
            String struck = Pair.peerOf(starts);
            long off = stage.step("reboot " + starts);
            stage.must(starts, "systemctl", "reboot", "--no-block");
            stage.await(
                    starts + " boots again",
                    ScenarioContext.REDUNDANCY,
                    () -> stage.happened(starts, JournalEvent.AgentStarted.class, off));
            long booted = System.nanoTime() - Duration.ofSeconds(3).toNanos();
            stage.awaitEvent(starts, strike.event(), booted, ScenarioContext.REDUNDANCY);
            stage.step(
                    "%s of %s is killed at %s of %s"
                            .formatted(
                                    strike.process(),
                                    struck,
                                    strike.event().getSimpleName(),
                                    starts));
            if (strike.process().equals(ETCD)) {
                stage.node(struck).kill(ETCD, "KILL");
            } else {
                kill(stage, struck);
            }
            stage.awaitSettled();
        }
        stage.expectFences(0);
    }
}
