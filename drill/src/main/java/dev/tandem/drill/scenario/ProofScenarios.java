package dev.tandem.drill.scenario;

import dev.tandem.agentapi.BmcIdentity;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.lab.pair.Pair;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcEvent;
import java.time.Duration;
import java.util.List;

/** A proof that the peer is off must be about this peer, this boot and this moment. */
final class ProofScenarios {
    private static final String NETWORK = "cluster0";

    private static final BmcBehaviour SILENT =
            BmcBehaviour.FAULTLESS.withReachability(BmcBehaviour.Reachability.SILENT);

    /** Both fencing levels against a silent BMC, the pause, and the order after it. */
    private static final Duration NEXT_ORDER = Duration.ofMinutes(4);

    /** What is concluded from an alert is concluded within a second or two. */
    private static final Duration CONCLUDED = Duration.ofSeconds(15);

    /** Longer than both levels need to begin; a wrong proof is acted upon at once. */
    private static final Duration NOBODY = Duration.ofSeconds(45);

    /** A status must know within this time that a BMC has become another machine's. */
    private static final Duration IDENTITY = Duration.ofSeconds(60);

    private static final String SLOW_PROGRAM = "/usr/local/sbin/crm_mon";
    private static final String SLOW_START = "/etc/systemd/system/corosync.service.d/late.conf";

    private ProofScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.slow(
                        "agent-restarts-while-fencing-fails",
                        "A node that was fenced once is back; then the network is cut and no BMC"
                                + " answers, and agents are restarted, one and both. The old fence"
                                + " proves nothing, and nobody takes over until a BMC answers.",
                        "TL30 TL37",
                        480,
                        ProofScenarios::agentRestarts),
                Scenario.slow(
                        "false-off-then-split",
                        "A BMC reads Off falsely in a split and its node votes again in the same"
                            + " boot; in a second split without any BMC the old proof is void, and"
                            + " nobody takes over.",
                        "TL31",
                        300,
                        ProofScenarios::falseOffThenSplit),
                Scenario.slow(
                        "statement-outlives-its-incident",
                        "A person's word that the peer is off was refused, and the peer lives; in a"
                                + " later split without any BMC that word counts for nothing.",
                        "TL14",
                        600,
                        ProofScenarios::statementOutlives),
                Scenario.slow(
                        "late-fence-answer",
                        "That a fence succeeded is read so late that the node has told of its next"
                                + " boot meanwhile; the receipt is about the boot that was fenced.",
                        "TL32",
                        300,
                        ProofScenarios::lateFenceAnswer),
                Scenario.slow(
                        "bmc-becomes-another-machine",
                        "The address of a BMC leads to another machine from some moment on; the"
                            + " status says so within a minute, and in a split that machine is not"
                            + " switched off and nobody takes over.",
                        "TL31b",
                        480,
                        ProofScenarios::becomesAnotherMachine));
    }

    // ---- agent-restarts-while-fencing-fails ----------------------------------------------------

    private static void agentRestarts(ScenarioContext stage) throws Exception {
        stage.step("node-1 loses power, is fenced and comes back");
        stage.node("node-1").cutPower();
        stage.awaitAlone("node-0");
        stage.awaitSettled();
        stage.expectFences(1);
        stage.awaitWrites();
        long cut = splitWithoutBmcs(stage);
        awaitFailedFence(stage, "node-0", cut);
        stage.expectNoTakeOver(cut);
        long one = restartAgents(stage, List.of("node-0"));
        awaitNextOrder(stage, "node-0", one);
        stage.holdsNoTakeOver(cut, CONCLUDED);
        long both = restartAgents(stage, Pair.NODES);
        for (String node : Pair.NODES) {
            awaitNextOrder(stage, node, both);
        }
        stage.holdsNoTakeOver(cut, CONCLUDED);
        oneIsShotWhenABmcAnswers(stage, cut);
    }

    private static long restartAgents(ScenarioContext stage, List<String> nodes) {
        long now = stage.step("restart the agent of " + String.join(" and of ", nodes));
        for (String node : nodes) {
            stage.must(node, "systemctl", "restart", "tandem-agent");
        }
        nodes.forEach(stage::awaitAgent);
        return now;
    }

    /** A fence was tried on both levels and failed: the next order follows the alert of that. */
    private static void awaitNextOrder(ScenarioContext stage, String node, long since) {
        stage.await(
                node + " is told to fence again",
                NEXT_ORDER,
                () ->
                        !stage.journal(node, JournalEvent.FenceOrdered.class, since).isEmpty()
                                || !stage.journal(node, JournalEvent.TakeOver.class, since)
                                        .isEmpty());
    }

    private static void awaitFailedFence(ScenarioContext stage, String node, long since) {
        stage.await(
                "a fence by " + node + " has failed",
                ScenarioContext.RECOVERY,
                () ->
                        stage.journal(node, JournalEvent.FenceAnswered.class, since).stream()
                                .anyMatch(answer -> answer.exitCode() != 0));
    }

    /** As one dead switch would do it. */
    private static long splitWithoutBmcs(ScenarioContext stage) {
        long cut = stage.step("no BMC answers any more, and the cluster network is cut");
        Pair.NODES.forEach(node -> stage.node(node).bmcBehaves(SILENT));
        stage.lab().split(NETWORK);
        return cut;
    }

    /** node-0 lives on: nobody can switch it off, until the network is mended too. */
    private static void oneIsShotWhenABmcAnswers(ScenarioContext stage, long since) {
        int before = stage.shots();
        stage.step("the BMC of node-1 answers again");
        stage.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        stage.await(
                "node-0 serves alone",
                NEXT_ORDER,
                () -> stage.pair().is("node-0", NodeHealth.ALONE));
        stage.awaitAlone("node-0");
        stage.expect(
                stage.journal("node-1", JournalEvent.TakeOver.class, since).isEmpty(),
                "no take-over by node-1");
        stage.expectShots(before + 1);
        stage.step("heal");
        stage.lab().heal();
        stage.awaitCalm();
        stage.awaitWrites();
        stage.expect(
                stage.journal("node-1", JournalEvent.Fenced.class, since).isEmpty(),
                "node-0 was not fenced");
    }

    // ---- false-off-then-split ------------------------------------------------------------------

    private static void falseOffThenSplit(ScenarioContext stage) throws Exception {
        String boot = stage.boot("node-1");
        stage.node("node-0").bmcBehaves(SILENT);
        stage.falseOff("node-1", "the BMC of node-1 will read Off once while node-1 runs on");
        long cut = stage.step("cut the cluster network");
        stage.lab().split(NETWORK);
        stage.awaitEvent("node-0", JournalEvent.TakeOver.class, cut, ScenarioContext.RECOVERY);
        stage.pause(Duration.ofSeconds(5));
        stage.step("heal the network");
        stage.lab().heal(NETWORK);
        // The other BMC stays silent: an order of node-1 may still be under way.
        stage.awaitCalm();
        stage.awaitWrites();
        stage.expect(stage.boot("node-1").equals(boot), "node-1 votes again in the boot it was in");
        long again = splitWithoutBmcs(stage);
        stage.holdsNoTakeOver(again, NOBODY);
        stage.expect(stage.boot("node-1").equals(boot), "node-1 has been running all the time");
        oneIsShotWhenABmcAnswers(stage, again);
    }

    // ---- statement-outlives-its-incident -------------------------------------------------------

    private static void statementOutlives(ScenarioContext stage) throws Exception {
        stage.step("put node-1 on standby; node-0 writes alone");
        stage.must("node-0", "pcs", "node", "standby", "node-1");
        try {
            stage.awaitAlone("node-0");
            stage.awaitWrites();
            long cut = splitWithoutBmcs(stage);
            stage.await(
                    "node-1 has lost node-0",
                    ScenarioContext.SHORT,
                    () -> !stage.pair().status("node-1").orElseThrow().pacemaker().peerPresent());
            stage.step("a person states on node-1 that node-0 is off; it is not, and has more");
            stage.confirmPeerOff("node-1");
            stage.holdsNoTakeOver(cut, Duration.ofSeconds(10));
            stage.step("heal the network, and take node-1 back");
            stage.lab().heal(NETWORK);
            stage.await(
                    "the nodes see each other",
                    ScenarioContext.RECOVERY,
                    () -> stage.pair().status("node-0").orElseThrow().pacemaker().peerPresent());
        } finally {
            stage.must("node-0", "pcs", "node", "unstandby", "node-1");
        }
        // Pacemaker starts nothing before the fences that it had ordered have failed for good.
        stage.await("node-1 votes again", Duration.ofMinutes(8), stage.pair()::isRedundant);
        stage.awaitCalm();
        stage.awaitWrites();
        long again = splitWithoutBmcs(stage);
        stage.holdsNoTakeOver(again, NOBODY);
        oneIsShotWhenABmcAnswers(stage, again);
    }

    // ---- late-fence-answer ---------------------------------------------------------------------

    private static void lateFenceAnswer(ScenarioContext stage) throws Exception {
        stage.step("node-0 is slow to read what Pacemaker did, and Corosync of node-1 starts late");
        stage.node("node-0")
                .write(
                        SLOW_PROGRAM,
                        "0755",
                        """
                        #!/bin/sh
                        said=$(/usr/sbin/crm_mon "$@"); code=$?
                        sleep 8
                        printf '%s\\n' "$said"
                        exit $code
                        """);
        stage.node("node-1")
                .write(SLOW_START, "0644", "[Service]\nExecStartPre=/usr/bin/sleep 20\n");
        try {
            stage.must("node-1", "systemctl", "daemon-reload");
            long cut = stage.step("node-1 loses power, is fenced and boots again");
            stage.node("node-1").cutPower();
            stage.awaitAlone("node-0");
            stage.awaitUp("node-1");
            stage.awaitAgent("node-1");
            String boot = stage.boot("node-1");
            stage.awaitSettled();
            stage.finds(
                    stage.journal("node-0", JournalEvent.Fenced.class, cut).stream()
                            .noneMatch(made -> made.receipt().peerBoot().value().equals(boot)),
                    "no receipt is about the boot that node-1 is in");
        } finally {
            stage.must("node-0", "rm", "-f", SLOW_PROGRAM);
            stage.must("node-1", "rm", "-f", SLOW_START);
            stage.must("node-1", "systemctl", "daemon-reload");
        }
        stage.awaitCalm();
        stage.awaitWrites();
        long again = splitWithoutBmcs(stage);
        stage.holdsNoTakeOver(again, NOBODY);
        oneIsShotWhenABmcAnswers(stage, again);
    }

    // ---- bmc-becomes-another-machine -----------------------------------------------------------

    private static void becomesAnotherMachine(ScenarioContext stage) throws Exception {
        String boot = stage.boot("node-1");
        long changed = stage.step("the BMC of node-1 is another machine's from now on");
        stage.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS.withAnotherMachine(true));
        if (!stage.awaitWarning("node-0", changed, IDENTITY)) {
            stage.await(
                    "node-0 has compared who that machine is",
                    Duration.ofMinutes(6),
                    () ->
                            stage.pair().status("node-0").orElseThrow().fencing().stream()
                                    .anyMatch(line -> line.identity() == BmcIdentity.DIFFERENT));
        }
        long cut = stage.step("cut the cluster network; the BMC of node-0 is silent");
        stage.node("node-0").bmcBehaves(SILENT);
        stage.lab().split(NETWORK);
        stage.holdsNoTakeOver(cut, NOBODY);
        stage.finds(
                stage.atBmcs(BmcEvent.Kind.ANOTHER_POWERED_OFF).isEmpty(),
                "the other machine was not switched off");
        stage.expect(stage.boot("node-1").equals(boot), "node-1 has been running all the time");
        oneIsShotWhenABmcAnswers(stage, cut);
    }
}
