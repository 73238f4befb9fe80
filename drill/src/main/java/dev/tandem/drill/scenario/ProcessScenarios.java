package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.Failure;
import dev.tandem.core.decision.Decision;
import dev.tandem.host.Deadline;
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
                                + " continues catching up, and becomes a voter.",
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
                                + " no step waits forever.",
                        "TL25",
                        200,
                        ProcessScenarios::killedWhileThePeerStarts));
    }

    private static void etcdKilled(ScenarioContext drill) {
        for (String role : List.of("leader", "follower")) {
            String node = role.equals("leader") ? drill.leader() : drill.follower();
            killed(drill, node, role);
        }
        drill.expectNoFence();
        drill.expectNoTakeOver();
    }

    private static void killed(ScenarioContext drill, String node, String role) {
        String member = memberOf(drill, node);
        long killed = drill.step("kill etcd of %s, the %s".formatted(node, role));
        drill.node(node).kill(ETCD, "KILL");
        drill.awaitEvent(node, JournalEvent.EtcdExited.class, killed, ScenarioContext.RECOVERY);
        drill.awaitEvent(node, JournalEvent.Serving.class, killed, ScenarioContext.RECOVERY);
        drill.awaitWrites();
        drill.figureOfGap("kill of the %s to first write".formatted(role), killed, GAP);
        drill.expectNothingSetAside(killed);
        drill.expect(memberOf(drill, node).equals(member), node + " is the same member as before");
    }

    private static final Duration GAP = Duration.ofSeconds(10);

    private static String memberOf(ScenarioContext drill, String node) {
        return drill.pair().own(node).orElseThrow().memberId();
    }

    private static void etcdKilledFourTimes(ScenarioContext drill) {
        forgetDeaths(drill);
        for (int i = 1; i <= 4; i++) {
            killed(drill, "node-1", "victim, time " + i);
        }
        drill.expectNoFence();
        drill.expectNoTakeOver();
    }

    /** Agents count the deaths of the last minutes, those of the scenario before too. */
    private static void forgetDeaths(ScenarioContext drill) {
        drill.step("restart the agents");
        for (String node : Pair.NODES) {
            drill.must(node, "systemctl", "restart", "tandem-agent.service");
        }
        drill.awaitSettled();
    }

    private static void crashLoop(ScenarioContext drill) throws InterruptedException {
        long begun = drill.step("kill etcd of node-1 as often as it is there");
        Deadline deadline = Deadline.after(begun, Duration.ofMinutes(2));
        while (!stoodDown(drill, begun) && !deadline.passed()) {
            try {
                drill.node("node-1").kill(ETCD, "KILL");
            } catch (Failure e) {
                // Between two lives there is nothing to kill.
                drill.pause(Duration.ofMillis(20));
            }
        }
        drill.expect(stoodDown(drill, begun), "node-1 stands down");
        drill.step("node-1 has stood down");
        drill.awaitSettled();
        drill.awaitWrites();
        drill.figureOfGap("first kill to first write", begun, Duration.ofSeconds(60));
        drill.expectNoFence();
        drill.expect(
                !drill.journal("node-0", JournalEvent.TakeOver.class, begun).isEmpty(),
                "node-0 took over meanwhile");
    }

    private static boolean stoodDown(ScenarioContext drill, long since) {
        return drill.journal("node-1", JournalEvent.Decided.class, since).stream()
                .anyMatch(made -> made.decision() instanceof Decision.StandDown);
    }

    private static void bothKilled(ScenarioContext drill) {
        forgetDeaths(drill);
        long begun = System.nanoTime();
        for (int i = 1; i <= 3; i++) {
            long killed = drill.step("kill both, time " + i);
            Pair.NODES.forEach(node -> drill.node(node).kill(ETCD, "KILL"));
            for (String node : Pair.NODES) {
                drill.awaitEvent(
                        node, JournalEvent.Serving.class, killed, ScenarioContext.RECOVERY);
            }
            drill.awaitWrites();
            drill.figureOfGap("kill %d to first write".formatted(i), killed, GAP);
        }
        drill.expectNoFence();
        drill.expectNoTakeOver();
        drill.expectNothingSetAside(begun);
    }

    private static void soleVoterKilled(ScenarioContext drill) {
        drill.step("pull the plug of node-1");
        drill.plugOut("node-1");
        drill.awaitAlone("node-0");
        drill.awaitWrites();
        long killed = drill.step("kill etcd of node-0, the only voter");
        drill.node("node-0").kill(ETCD, "KILL");
        drill.awaitEvent("node-0", JournalEvent.Serving.class, killed, ScenarioContext.RECOVERY);
        drill.awaitWrites();
        drill.figureOfGap("kill to first write", killed, GAP);
        drill.expectNoTakeOver(killed);
        drill.step("node-1 has power again");
        drill.plugIn("node-1");
        drill.awaitSettled();
        drill.expectNoTakeOver(killed);
    }

    private static void learnerKilled(ScenarioContext drill) {
        CrashScenarios.HeldLearner learning = CrashScenarios.HeldLearner.begin(drill, "node-1");
        long killed = drill.step("kill etcd of node-1, the learner");
        drill.node("node-1").kill(ETCD, "KILL");
        drill.await(
                "etcd of node-1 runs again",
                ScenarioContext.RECOVERY,
                () -> drill.runsEtcd("node-1"));
        learning.goOn();
        drill.awaitSettled();
        drill.expectNoTakeOver(killed);
    }

    private static void agentsKilled(ScenarioContext drill) {
        long killed = drill.step("kill both agents");
        for (String node : Pair.NODES) {
            kill(drill, node);
        }
        drill.awaitWrites();
        drill.awaitSettled();
        untouched(drill, killed);
    }

    private static void kill(ScenarioContext drill, String node) {
        drill.killAgent(node);
    }

    private static void untouched(ScenarioContext drill, long since) {
        for (String node : Pair.NODES) {
            drill.expect(
                    !drill.happened(node, JournalEvent.EtcdExited.class, since),
                    "etcd of " + node + " runs on");
        }
        drill.expectNoFence();
        drill.expectNoTakeOver();
        drill.expectNothingSetAside(since);
    }

    private static void agentsKilledAtRandom(ScenarioContext drill) throws InterruptedException {
        long begun = drill.step("kill an agent at random, twenty times");
        Random random = new Random(37);
        for (int i = 0; i < 20; i++) {
            drill.pause(Duration.ofMillis(random.nextInt(4000)));
            kill(drill, Pair.NODES.get(random.nextInt(2)));
        }
        drill.awaitSettled();
        untouched(drill, begun);
        drill.figureOfGap("longest write gap", begun, Duration.ofSeconds(1));
    }

    /** What of whom is killed when the starting node's journal says something. */
    private record Strike(Class<? extends JournalEvent> event, String process) {}

    /** By the new boot: on its way down the node notes some of the same. */
    private static boolean happenedSinceBoot(
            ScenarioContext drill, String node, Class<? extends JournalEvent> event, long off) {
        return drill.pair().journalSince(node, off).stream()
                .map(JournalLine::event)
                .dropWhile(line -> !(line instanceof JournalEvent.AgentStarted))
                .anyMatch(event::isInstance);
    }

    private static void killedWhileThePeerStarts(ScenarioContext drill) {
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
            long off = drill.step("reboot " + starts);
            drill.must(starts, "systemctl", "reboot", "--no-block");
            drill.await(
                    "%s has booted again and reached %s"
                            .formatted(starts, strike.event().getSimpleName()),
                    ScenarioContext.REDUNDANCY.plus(ScenarioContext.REDUNDANCY),
                    () -> happenedSinceBoot(drill, starts, strike.event(), off));
            drill.step(
                    "%s of %s is killed at %s of %s"
                            .formatted(
                                    strike.process(),
                                    struck,
                                    strike.event().getSimpleName(),
                                    starts));
            if (strike.process().equals(ETCD)) {
                drill.node(struck).kill(ETCD, "KILL");
            } else {
                kill(drill, struck);
            }
            drill.awaitSettled();
        }
        drill.expectFences(0);
    }
}
