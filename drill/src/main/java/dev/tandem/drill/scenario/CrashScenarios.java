package dev.tandem.drill.scenario;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.host.Deadline;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.NetworkFault;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A node is gone from one moment to the next. */
final class CrashScenarios {
    private static final Duration FAST_BMC = Duration.ofSeconds(60);

    /** What a status promises for the loss of a node. */
    private static final Duration RESTART_GAP = Duration.ofSeconds(10);

    private CrashScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.quick(
                        "leader-loses-power",
                        "The leader loses power; it is fenced, and the other serves on with all"
                                + " that was acknowledged.",
                        "TL7",
                        25,
                        drill -> losesPower(drill, drill.leader())),
                Scenario.slow(
                        "force-restart",
                        "The BMC restarts the leader by force, and then the follower; each boots"
                                + " within two seconds, and writes go on within ten.",
                        "TL6 TL7",
                        120,
                        CrashScenarios::forceRestart),
                Scenario.quick(
                        "follower-loses-power",
                        "The follower loses power; it is fenced before the leader writes alone.",
                        "TL6",
                        25,
                        drill -> losesPower(drill, drill.follower())),
                Scenario.slow(
                        "each-node-in-each-role-loses-power",
                        "Each node loses power once as leader and once as follower; which of the"
                                + " two it is makes no difference.",
                        "TL6 TL7 TL8",
                        120,
                        CrashScenarios::eachInEachRole),
                Scenario.slow(
                        "joiner-loses-power-while-learning",
                        "A node that comes back loses power at several points of its return; the"
                                + " leader serves on, and never lists more than two members.",
                        "TL26",
                        180,
                        CrashScenarios::joinerLosesPower),
                Scenario.slow(
                        "leader-loses-power-while-peer-learns",
                        "The only voter loses power while its peer is a learner; the learner fences"
                                + " it and serves nothing, and continues catching up when the"
                                + " leader is back.",
                        "TL27",
                        100,
                        CrashScenarios::leaderLosesPowerWhilePeerLearns),
                Scenario.slow(
                        "both-lose-power-while-one-learns",
                        "Both lose power while one is a learner; the one that has everything"
                                + " starts first.",
                        "TL28",
                        100,
                        CrashScenarios::bothLosePowerWhileOneLearns),
                Scenario.slow(
                        "old-voter-loses-power-after-promotion",
                        "The old voter loses power a moment after the learner got its vote; the"
                            + " node that serves afterwards has everything that was acknowledged.",
                        "TL29",
                        240,
                        CrashScenarios::oldVoterLosesPowerAfterPromotion));
    }

    private static void losesPower(ScenarioContext drill, String victim) {
        String survivor = Pair.peerOf(victim);
        long cut = drill.step("cut the power of " + victim);
        drill.node(victim).cutPower();
        drill.awaitAlone(survivor);
        drill.figureOfGap("power cut of %s to first write".formatted(victim), cut, FAST_BMC);
        drill.step(survivor + " serves alone");
        // The journal follows a moment later, since nobody waits for it.
        drill.awaitEvent(survivor, JournalEvent.Serving.class, cut, ScenarioContext.RECOVERY);
        List<JournalEvent> events = drill.journal(survivor, JournalEvent.class, cut);
        drill.expect(
                inOrder(
                        events,
                        JournalEvent.FenceOrdered.class,
                        JournalEvent.Fenced.class,
                        JournalEvent.TakeOver.class,
                        JournalEvent.Serving.class),
                "fenced before the take-over, and serving after it, not "
                        + events.stream().map(JournalEvent::sentence).toList());
        drill.awaitSettled();
        drill.expect(
                drill.journal(survivor, JournalEvent.Fenced.class, cut).size() == 1
                        && drill.journal(victim, JournalEvent.Fenced.class, cut).isEmpty(),
                "one fence, and by " + survivor);
    }

    /** Whether the events happened in this order, whatever else happened between them. */
    @SafeVarargs
    static boolean inOrder(List<JournalEvent> events, Class<? extends JournalEvent>... wanted) {
        int found = 0;
        for (JournalEvent event : events) {
            if (found < wanted.length && wanted[found].isInstance(event)) {
                found++;
            }
        }
        return found == wanted.length;
    }

    private static void eachInEachRole(ScenarioContext drill) {
        for (String victim : Pair.NODES) {
            for (boolean asLeader : List.of(true, false)) {
                String leads = asLeader ? victim : Pair.peerOf(victim);
                drill.step("let %s lead".formatted(leads));
                drill.pair().lead(leads);
                drill.awaitWrites();
                losesPower(drill, victim);
            }
        }
    }

    private static void joinerLosesPower(ScenarioContext drill) throws InterruptedException {
        String joiner = "node-1";
        drill.pair().lead("node-0");
        long first = drill.step("cut the power of " + joiner);
        drill.node(joiner).cutPower();
        drill.awaitAlone("node-0");
        long alone = System.nanoTime();
        for (Class<? extends JournalEvent> point :
                List.of(
                        JournalEvent.AgentStarted.class,
                        JournalEvent.StartRequested.class,
                        JournalEvent.Decided.class,
                        JournalEvent.Serving.class)) {
            long since = System.nanoTime();
            drill.await(
                    "%s is at %s of its return".formatted(joiner, point.getSimpleName()),
                    ScenarioContext.REDUNDANCY,
                    () -> drill.happened(joiner, point, since));
            drill.step("cut its power again, at " + point.getSimpleName());
            drill.node(joiner).cutPower();
            // Not at once: where the joiner voted already, node-0 has to take over first.
            drill.await(
                    "node-0 lists at most two members",
                    ScenarioContext.RECOVERY,
                    () -> drill.pair().members("node-0").size() <= 2);
            powerOnUnlessOn(drill, joiner);
        }
        drill.awaitSettled();
        long takeOvers =
                drill.journal("node-0", JournalEvent.TakeOver.class, first).stream()
                        .filter(JournalEvent.TakeOver::forces)
                        .count();
        drill.expect(
                takeOvers <= 2,
                "node-0 takes over once, and once more at most if the joiner voted already");
        drill.figureOfGap(
                "write gap of the leader",
                alone,
                takeOvers == 1 ? Duration.ofSeconds(2) : FAST_BMC);
        drill.expect(
                drill.journal(joiner, JournalEvent.TakeOver.class, first).isEmpty(),
                joiner + " takes nothing over");
    }

    /** A node that is not in the cluster yet is not fenced, and so nobody switches it on. */
    private static void powerOnUnlessOn(ScenarioContext drill, String node)
            throws InterruptedException {
        drill.pause(Duration.ofSeconds(5));
        drill.powerOn(node);
    }

    private static void leaderLosesPowerWhilePeerLearns(ScenarioContext drill) throws Exception {
        drill.pair().lead("node-0");
        HeldLearner learning = HeldLearner.begin(drill, "node-1");
        long cut = drill.step("cut the power of node-0, which has everything");
        drill.node("node-0").cutPower();
        drill.awaitEvent("node-1", JournalEvent.Fenced.class, cut, ScenarioContext.RECOVERY);
        drill.step("node-1 has fenced it");
        drill.expect(!serves(drill, "node-1"), "node-1, a learner, does not serve");
        long before = System.nanoTime();
        drill.awaitAlone("node-0");
        drill.step("node-0 is back and serves");
        drill.expect(
                drill.writer().acknowledgements().stream()
                        .filter(a -> a.nanos() > cut + Duration.ofSeconds(1).toNanos())
                        .allMatch(a -> a.node() == 0),
                "only node-0 acknowledged anything after its power cut");
        learning.goOn();
        drill.awaitSettled();
        drill.expectNoTakeOver(cut);
        drill.expect(
                !drill.happened("node-0", JournalEvent.TakeOver.class, before),
                "node-0 went on with its own data");
    }

    private static boolean serves(ScenarioContext drill, String node) {
        return drill.pair()
                .status(node)
                .map(AgentStatus::health)
                .filter(health -> health == NodeHealth.ALONE || health == NodeHealth.REDUNDANT)
                .isPresent();
    }

    private static void bothLosePowerWhileOneLearns(ScenarioContext drill) {
        drill.pair().lead("node-0");
        HeldLearner learning = HeldLearner.begin(drill, "node-1");
        long cut = drill.step("cut the power of both");
        Pair.NODES.forEach(node -> drill.node(node).cutPower());
        drill.step("switch both on");
        Pair.NODES.forEach(drill::powerOn);
        drill.awaitAlone("node-0");
        drill.step("node-0 serves");
        drill.expectNoTakeOver(cut);
        learning.goOn();
        drill.awaitSettled();
        drill.expectNoTakeOver(cut);
        drill.expect(
                drill.journal("node-0", JournalEvent.Decided.class, cut).stream()
                        .noneMatch(made -> made.decision() instanceof Decision.JoinAsLearner),
                "the data of node-0 is left where it is");
    }

    private static void oldVoterLosesPowerAfterPromotion(ScenarioContext drill)
            throws InterruptedException {
        for (int millis : List.of(0, 50, 150, 400, 1500)) {
            String old = drill.leader();
            String learner = Pair.peerOf(old);
            long off =
                    drill.step("cut the power of %s, so that it has to learn".formatted(learner));
            drill.node(learner).cutPower();
            BooleanSupplier promoted =
                    () ->
                            drill.journal(old, JournalEvent.MembershipStep.class, off).stream()
                                    .anyMatch(made ->
                                            made.step() instanceof LeaderDecision.Step.Promote);
            Deadline deadline = Deadline.in(ScenarioContext.REDUNDANCY);
            while (!promoted.getAsBoolean() && !deadline.passed()) {
                drill.pause(Duration.ofMillis(5));
            }
            drill.expect(promoted.getAsBoolean(), learner + " is promoted");
            drill.pause(Duration.ofMillis(millis));
            drill.step("cut the power of %s %d ms after the promotion".formatted(old, millis));
            drill.node(old).cutPower();
            drill.awaitSettled();
            drill.awaitWrites();
        }
    }

    /** Back before anybody has noticed that it was gone, or while it is being fenced. */
    private static void forceRestart(ScenarioContext drill) {
        for (String role : List.of("leader", "follower")) {
            String node = role.equals("leader") ? drill.leader() : drill.follower();
            String boot = drill.boot(node);
            int before = drill.switchedOff();
            long forced = drill.step("the BMC of %s, the %s, restarts it".formatted(node, role));
            drill.node(node).power(LabRequest.PowerAction.CYCLE);
            drill.awaitUp(node);
            drill.expect(!drill.boot(node).equals(boot), node + " is in another boot");
            drill.awaitSettled();
            drill.awaitWrites();
            drill.judgedFigure(
                    "restart of the %s to first write".formatted(role),
                    drill.writer().longestGapSince(forced).length(),
                    RESTART_GAP);
            drill.finds(
                    drill.switchedOff() - before <= 1,
                    "%s, which is back, is switched off once at most (%d times)"
                            .formatted(node, drill.switchedOff() - before));
        }
    }

    /**
     * A node that is a learner and stays one: the port between the servers is cut before it can
     * catch up, which with a small database would take no time.
     */
    static final class HeldLearner {
        private static final String NETWORK = "cluster0";

        private final ScenarioContext drill;

        private HeldLearner(ScenarioContext drill) {
            this.drill = drill;
        }

        /** Cuts the node's power, so that it comes back as a learner, and keeps it one. */
        static HeldLearner begin(ScenarioContext drill, String learner) {
            String leader = Pair.peerOf(learner);
            long cut =
                    drill.step("cut the power of %s, so that it has to learn".formatted(learner));
            drill.node(learner).cutPower();
            drill.awaitAlone(leader);
            drill.lab()
                    .inject(
                            new NetworkFault.Cut(
                                    NETWORK,
                                    NetworkFault.ANYBODY,
                                    NetworkFault.ANYBODY,
                                    true,
                                    List.of(NetworkFault.Port.parse("tcp/2380"))));
            drill.await(
                    learner + " was offered a place and has started etcd",
                    ScenarioContext.REDUNDANCY,
                    () -> joined(drill, learner, cut) && drill.runsEtcd(learner));
            drill.step(learner + " is a learner and cannot catch up");
            return new HeldLearner(drill);
        }

        private static boolean joined(ScenarioContext drill, String learner, long since) {
            return drill.journal(learner, JournalEvent.Decided.class, since).stream()
                    .anyMatch(made -> made.decision() instanceof Decision.JoinAsLearner);
        }

        /** Lets the servers talk to each other. */
        void goOn() {
            drill.step("the port between the servers is open again");
            drill.lab().heal(NETWORK);
        }
    }
}
