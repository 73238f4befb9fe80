package dev.tandem.drill.scenario;

import dev.tandem.agentapi.BmcIdentity;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.BootId;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.drill.audit.Audit;
import dev.tandem.host.bmc.RedfishClient;
import dev.tandem.lab.daemon.LabBmc;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.NetworkFault;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcEvent;
import java.time.Duration;
import java.util.List;

/** A proof that the peer is off must be about this peer, this boot and this moment. */
final class ProofScenarios {
    /** Until a machine that was switched on boots. */
    private static final Duration FIRMWARE = Duration.ofSeconds(60);

    private static final String NETWORK = "cluster0";

    private static final BmcBehaviour SILENT =
            BmcBehaviour.FAULTLESS.withReachability(BmcBehaviour.Reachability.SILENT);

    /** Both fencing levels against a silent BMC, the pause, and the order after it. */
    private static final Duration NEXT_ORDER = Duration.ofMinutes(4);

    /** What is concluded from an alert is concluded within a second or two. */
    private static final Duration CONCLUDED = Duration.ofSeconds(15);

    /** Longer than both levels need to begin; a wrong proof is acted upon at once. */
    private static final Duration NOBODY = Duration.ofSeconds(45);

    /** As late as a BMC may answer and still be listened to. */
    private static final Duration LATE = RedfishClient.REQUEST_LIMIT.minusSeconds(1);

    private static final NetworkFault.Port AGENTS = NetworkFault.Port.parse("tcp/9443");
    private static final String SLOW_START = "/etc/systemd/system/corosync.service.d/late.conf";
    private static final List<String> LEVELS =
            List.of("/usr/sbin/fence_tandem", "/usr/sbin/fence_tandem_redfish");

    /** What the second level leaves when it has switched node-1 off and on again. */
    private static final String RECORD = "/run/tandem/fenced/node-1";

    /** Of the first further level. */
    private static final String FURTHER_RECORD = "/run/tandem/further1/fenced/node-1";

    private static final String AGENT = "tandem-agent";
    private static final String HOLD = "/run/drill-holds-the-answer";

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
                        "A person's statement that the peer is off was refused, and the peer lives;"
                                + " in a later split without any BMC that statement counts for"
                                + " nothing.",
                        "TL14",
                        600,
                        ProofScenarios::statementOutlives),
                Scenario.slow(
                        "late-fence-answer",
                        "The first fencing level fails and the second succeeds; the BMC says which"
                                + " machine that was so late that the node has reported its next"
                                + " boot meanwhile. Nothing is proven about that boot, and nobody"
                                + " takes over beside it.",
                        "TL32",
                        330,
                        ProofScenarios::lateFenceAnswer),
                Scenario.slow(
                        "level-two-alone",
                        "The agent of one node is stopped, and its peer hangs. The second fencing"
                                + " level, which verifies the BMC's certificate itself, switches"
                                + " the peer off and on; nobody takes over until the agent runs"
                                + " again, and then it does so by that fence.",
                        "TL37",
                        150,
                        drill -> {
                            levelTwoFences(drill, "fence_redfish");
                            drill.expectFences(1);
                        }),
                Scenario.slow(
                                "redfish-dead-ipmi-shoots",
                                "The Redfish service of a BMC falls silent, and its node hangs. The"
                                        + " second level switches the node off over IPMI, and that"
                                        + " proves it off: the peer takes over.",
                                "TL37",
                                150,
                                ProofScenarios::ipmiShoots)
                        .withIpmi(),
                Scenario.slow(
                                "pdu-shoots",
                                "The last level of each node is a stock agent, as for an outlet,"
                                        + " and the plan says that this is the node's power. The"
                                        + " Redfish service of a BMC falls silent, and its node"
                                        + " hangs; the last level switches it off, and that proves"
                                        + " it off: the peer takes over.",
                                "TL37",
                                420,
                                ProofScenarios::furtherLevelShoots)
                        .withIpmi(),
                Scenario.slow(
                                "ipmi-alone-shoots",
                                "The BMCs speak nothing but IPMI. The leader hangs, and is switched"
                                        + " off over IPMI; later the agent of node-0 is stopped,"
                                        + " node-1 hangs, and the second level does the same.",
                                "TL7 TL37",
                                210,
                                ProofScenarios::ipmiAlone)
                        .withIpmiAlone(),
                Scenario.slow(
                        "bmc-becomes-another-machine",
                        "The address of a BMC leads to another machine from some moment on; the"
                            + " status says so within 15 s, and in a split that machine is not"
                            + " switched off and nobody takes over, not even while the agent that"
                            + " found it is down. Where it happens unnoticed, the second level"
                            + " switches that machine off; corrected while the network is still"
                            + " cut, the address makes no proof of that: the node itself is"
                            + " switched off before the other takes over.",
                        "TL31b",
                        900,
                        ProofScenarios::becomesAnotherMachine),
                Scenario.slow(
                        "bmc-with-foreign-certificate",
                        "Somebody else answers at the address of a BMC, with a certificate that the"
                            + " plan does not trust. The status says so, and in a split no level"
                            + " sends a password there: nobody takes over, not even while the agent"
                            + " is down.",
                        "TL31b",
                        270,
                        ProofScenarios::withForeignCertificate));
    }

    private static void agentRestarts(ScenarioContext drill) throws Exception {
        drill.step("node-1 loses power, is fenced and comes back");
        drill.node("node-1").cutPower();
        drill.awaitAlone("node-0");
        drill.awaitSettled();
        drill.expectFences(1);
        drill.awaitWrites();
        long cut = splitWithoutBmcs(drill);
        awaitFailedFence(drill, "node-0", cut);
        drill.expectNoTakeOver(cut);
        long one = restartAgents(drill, List.of("node-0"));
        awaitNextOrder(drill, "node-0", one);
        drill.holdsNoTakeOver(cut, CONCLUDED);
        long both = restartAgents(drill, Pair.NODES);
        for (String node : Pair.NODES) {
            awaitNextOrder(drill, node, both);
        }
        drill.holdsNoTakeOver(cut, CONCLUDED);
        oneIsShotWhenABmcAnswers(drill, cut);
    }

    private static long restartAgents(ScenarioContext drill, List<String> nodes) {
        long now = drill.step("restart the agent of " + String.join(" and of ", nodes));
        for (String node : nodes) {
            drill.must(node, "systemctl", "restart", AGENT);
        }
        nodes.forEach(drill::awaitAgent);
        return now;
    }

    /** A fence was tried on both levels and failed: the next order follows the alert of that. */
    private static void awaitNextOrder(ScenarioContext drill, String node, long since) {
        drill.await(
                node + " is told to fence again",
                NEXT_ORDER,
                () ->
                        !drill.journal(node, JournalEvent.FenceOrdered.class, since).isEmpty()
                                || !drill.journal(node, JournalEvent.TakeOver.class, since)
                                        .isEmpty());
    }

    static void awaitFailedFence(ScenarioContext drill, String node, long since) {
        drill.await(
                "a fence by " + node + " has failed",
                ScenarioContext.RECOVERY,
                () ->
                        drill.journal(node, JournalEvent.FenceAnswered.class, since).stream()
                                .anyMatch(answer -> answer.exitCode() != 0));
    }

    /** As one dead switch would do it. */
    static long splitWithoutBmcs(ScenarioContext drill) {
        long cut = drill.step("no BMC answers any more, and the cluster network is cut");
        Pair.NODES.forEach(node -> drill.node(node).bmcBehaves(SILENT));
        drill.lab().split(NETWORK);
        return cut;
    }

    /** node-0 lives on: nobody can switch it off, until the network is healed too. */
    static void oneIsShotWhenABmcAnswers(ScenarioContext drill, long since) {
        int before = drill.switchedOff();
        drill.step("the BMC of node-1 answers again");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        drill.await(
                "node-0 serves alone",
                NEXT_ORDER,
                () -> drill.pair().is("node-0", NodeHealth.ALONE));
        drill.awaitAlone("node-0");
        drill.expect(
                drill.journal("node-1", JournalEvent.TakeOver.class, since).isEmpty(),
                "no take-over by node-1");
        drill.expectSwitchedOff(before + 1);
        drill.step("heal");
        drill.lab().heal();
        drill.awaitSteady();
        drill.awaitWrites();
        drill.expect(
                drill.journal("node-1", JournalEvent.Fenced.class, since).isEmpty(),
                "node-0 was not fenced");
    }

    private static void falseOffThenSplit(ScenarioContext drill) throws Exception {
        String boot = drill.boot("node-1");
        drill.node("node-0").bmcBehaves(SILENT);
        drill.falseOff("node-1", "the BMC of node-1 will read Off once while node-1 runs on");
        long cut = drill.step("cut the cluster network");
        drill.lab().split(NETWORK);
        drill.awaitEvent("node-0", JournalEvent.TakeOver.class, cut, ScenarioContext.RECOVERY);
        drill.pause(Duration.ofSeconds(5));
        drill.step("heal the network");
        drill.lab().heal(NETWORK);
        // The other BMC stays silent: an order of node-1 may still be under way.
        drill.awaitSteady();
        drill.awaitWrites();
        drill.expect(drill.boot("node-1").equals(boot), "node-1 votes again in the boot it was in");
        long again = splitWithoutBmcs(drill);
        drill.holdsNoTakeOver(again, NOBODY);
        drill.expect(drill.boot("node-1").equals(boot), "node-1 has been running all the time");
        oneIsShotWhenABmcAnswers(drill, again);
    }

    private static void statementOutlives(ScenarioContext drill) throws Exception {
        drill.step("put node-1 in standby; node-0 writes alone");
        drill.must("node-0", "pcs", "node", "standby", "node-1");
        try {
            drill.awaitAlone("node-0");
            drill.awaitWrites();
            long cut = splitWithoutBmcs(drill);
            drill.await(
                    "node-1 has lost node-0",
                    ScenarioContext.SHORT,
                    () -> !drill.pair().status("node-1").orElseThrow().pacemaker().peerPresent());
            drill.step("a person states on node-1 that node-0 is off; it is not, and has more");
            drill.confirmPeerOff("node-1");
            drill.holdsNoTakeOver(cut, Duration.ofSeconds(10));
            drill.step("heal the network, and take node-1 back");
            drill.lab().heal(NETWORK);
            drill.await(
                    "the nodes see each other",
                    ScenarioContext.RECOVERY,
                    () -> drill.pair().status("node-0").orElseThrow().pacemaker().peerPresent());
        } finally {
            drill.must("node-0", "pcs", "node", "unstandby", "node-1");
        }
        // Pacemaker starts nothing before the fences that it had ordered have failed for good.
        drill.await("node-1 votes again", Duration.ofMinutes(8), drill.pair()::isRedundant);
        drill.awaitSteady();
        drill.awaitWrites();
        long again = splitWithoutBmcs(drill);
        drill.holdsNoTakeOver(again, NOBODY);
        oneIsShotWhenABmcAnswers(drill, again);
    }

    /**
     * Without the agent of node-0, which takes over by that fence when it is back.
     *
     * @param agent which the second level is
     */
    static void levelTwoFences(ScenarioContext drill, String agent) throws Exception {
        drill.awaitWrites();
        drill.must("node-0", "rm", "-f", RECORD);
        drill.cause("stop the agent of node-0");
        drill.must("node-0", "systemctl", "stop", AGENT);
        // As a machine with firmware: one that is back before the agent is needs no take-over.
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS.withOnLatency(FIRMWARE));
        long died;
        try {
            died = drill.step("the kernel of node-1 stops");
            drill.node("node-1").crash(LabRequest.CrashKind.PANIC);
            drill.await(
                    "the second level has switched node-1 off and on",
                    ScenarioContext.RECOVERY,
                    () -> drill.node("node-0").run(ScenarioContext.SHORT, "ls", RECORD).ok());
            drill.holdsNoTakeOver(died, Duration.ofSeconds(5));
        } finally {
            drill.must("node-0", "systemctl", "start", AGENT);
        }
        long back = drill.step("the agent of node-0 runs again");
        drill.await(
                "node-0 has judged that fence",
                ScenarioContext.RECOVERY,
                () -> drill.happened("node-0", JournalEvent.Fenced.class, back));
        drill.expect(
                drill.journal("node-0", JournalEvent.Fenced.class, back).stream()
                        .allMatch(made -> made.receipt().method().equals(agent)),
                "the proof is the fence of the second level");
        drill.awaitOrFind(
                "a write is acknowledged",
                ScenarioContext.RECOVERY,
                () -> drill.writer().firstAfter(back).isPresent());
        drill.expect(
                drill.happened("node-0", JournalEvent.TakeOver.class, back),
                "node-0 has taken over by that fence");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        drill.awaitSettled();
    }

    private static void ipmiAlone(ScenarioContext drill) throws Exception {
        String leader = drill.leader();
        long died = drill.step("the kernel of %s stops, which was leading".formatted(leader));
        drill.node(leader).crash(LabRequest.CrashKind.PANIC);
        drill.awaitEvent(
                Pair.peerOf(leader), JournalEvent.TakeOver.class, died, ScenarioContext.RECOVERY);
        drill.awaitWrites();
        drill.figureOfGap("panic to first write, by IPMI", died, Duration.ofSeconds(60));
        switchedOffByIpmi(drill);
        drill.awaitSettled();
        drill.expectFences(1);
        drill.expectSwitchedOff(1);
        levelTwoFences(drill, "fence_ipmilan");
        drill.expectFences(2);
        drill.expectSwitchedOff(2);
        switchedOffByIpmi(drill);
    }

    private static void switchedOffByIpmi(ScenarioContext drill) {
        var offs = drill.atBmcs(BmcEvent.Kind.POWERED_OFF);
        drill.expect(
                !offs.isEmpty()
                        && offs.stream().allMatch(event -> event.by().equals(LabBmc.IPMI_USER)),
                "each machine was switched off over IPMI");
    }

    private static void ipmiShoots(ScenarioContext drill) throws Exception {
        drill.awaitWrites();
        long silent = drill.cause("the Redfish service of node-1's BMC falls silent");
        // As a machine with firmware: one that is back before the fence has ended needs no
        // take-over.
        drill.node("node-1").bmcBehaves(SILENT.withOnLatency(FIRMWARE));
        drill.awaitOrFind(
                "the status of node-0 says that it is to be repaired",
                silent,
                ScenarioContext.WARNED,
                () -> !drill.told("node-0").status().recovery().warnings().isEmpty());
        long died = drill.step("the kernel of node-1 stops");
        drill.node("node-1").crash(LabRequest.CrashKind.PANIC);
        drill.awaitEvent("node-0", JournalEvent.TakeOver.class, died, ScenarioContext.RECOVERY);
        drill.awaitWrites();
        drill.figureOfGap("panic to first write, by IPMI", died, Duration.ofSeconds(60));
        drill.expect(isProvenByIpmi(drill, silent), "the proof is the fence by IPMI");
        drill.expect(
                drill.atBmcs(BmcEvent.Kind.POWERED_OFF).stream()
                        .anyMatch(event -> event.by().equals(LabBmc.IPMI_USER)),
                "the machine was switched off over IPMI");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        drill.awaitSettled();
        drill.expectFences(1);
        drill.expectSwitchedOff(1);
    }

    private static boolean isProvenByIpmi(ScenarioContext drill, long since) {
        List<JournalEvent.Fenced> made = drill.journal("node-0", JournalEvent.Fenced.class, since);
        return !made.isEmpty()
                && made.stream().allMatch(one -> one.receipt().method().equals("fence_ipmilan"));
    }

    /** The lab has no outlets; what drives the power button by IPMI stands for one. */
    private static void furtherLevelShoots(ScenarioContext drill) throws Exception {
        String before = drill.node(Actions.FIRST).read(Pair.PLAN);
        String plan =
                before.replaceAll(
                        "(?m)^ {6}second:\\n"
                                + " {8}address: ipmi://(\\S+)\\?cipherSuite=3\\n"
                                + " {8}username: (\\S+)\\n"
                                + " {8}passwordFile: (\\S+)\\n",
                        """
                              further:
                                - agent: fence_ipmilan
                                  parameters: {ip: '$1', username: $2, cipher: '3', lanplus: true, privlvl: operator}
                                  passwordFile: $3
                                  provesOff: true
                        """);
        drill.expect(plan.contains("further:"), "the plan has further levels");
        for (String node : Pair.NODES) {
            drill.node(node).write(Actions.CHANGED_PLAN, "0600", plan);
        }
        try {
            drill.step("the plan gets further levels instead of IPMI beside Redfish");
            applyOnBoth(drill, Actions.CHANGED_PLAN);
            drill.awaitSteady();
            drill.awaitWrites();
            drill.must("node-0", "rm", "-f", FURTHER_RECORD);
            long silent = drill.cause("the Redfish service of node-1's BMC falls silent");
            drill.node("node-1").bmcBehaves(SILENT.withOnLatency(FIRMWARE));
            drill.awaitWarning("node-0", silent, ScenarioContext.WARNED);
            long died = drill.step("the kernel of node-1 stops");
            drill.node("node-1").crash(LabRequest.CrashKind.PANIC);
            drill.awaitEvent("node-0", JournalEvent.TakeOver.class, died, NEXT_ORDER);
            drill.awaitWrites();
            // By the same agent as the second of a BMC, whose record would lie elsewhere.
            drill.expect(
                    isProvenByIpmi(drill, silent)
                            && drill.node("node-0")
                                    .run(ScenarioContext.SHORT, "ls", FURTHER_RECORD)
                                    .ok(),
                    "the proof is the fence by the further level");
            drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
            drill.awaitSettled();
            drill.expectFences(1);
            drill.expectSwitchedOff(1);
        } finally {
            drill.step("the plan is as before");
            drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
            Pair.NODES.forEach(drill::awaitUp);
            applyOnBoth(drill, Pair.PLAN);
        }
        drill.awaitSteady();
    }

    /** The first answers that something is left to be done on the other. */
    private static void applyOnBoth(ScenarioContext drill, String plan) {
        String[] apply = {"tandem", "cluster", "apply", "--yes", plan};
        var _ = drill.node(Actions.FIRST).run(PasswordScenarios.APPLIED, apply);
        drill.must(Pair.peerOf(Actions.FIRST), apply);
        drill.must(Actions.FIRST, apply);
    }

    private static void lateFenceAnswer(ScenarioContext drill) throws Exception {
        drill.cause("level 1 of node-0 fails, its level 2 waits, Corosync of node-1 starts late");
        holdTheLevels(drill);
        // Longer than all that is to happen before the nodes are in one membership again.
        drill.node("node-1")
                .write(SLOW_START, "0644", "[Service]\nExecStartPre=/usr/bin/sleep 40\n");
        try {
            drill.must("node-1", "systemctl", "daemon-reload");
            bootsWhileTheBmcAnswers(drill);
        } finally {
            drill.lab().heal(NETWORK);
            drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
            for (String level : LEVELS) {
                drill.must("node-0", "mv", level + ".own", level);
            }
            drill.must("node-0", "rm", "-f", HOLD);
            drill.awaitUp("node-1");
            drill.must("node-1", "rm", "-f", SLOW_START);
            drill.must("node-1", "systemctl", "daemon-reload");
        }
        drill.awaitSteady();
        drill.awaitWrites();
        long again = splitWithoutBmcs(drill);
        drill.holdsNoTakeOver(again, NOBODY);
        oneIsShotWhenABmcAnswers(drill, again);
    }

    /** Neither is held for anything but a fence. */
    private static void holdTheLevels(ScenarioContext drill) {
        for (String level : LEVELS) {
            drill.must("node-0", "mv", level, level + ".own");
        }
        drill.must("node-0", "rm", "-f", RECORD);
        drill.node("node-0").write(HOLD, "0600", "");
        drill.node("node-0")
                .write(
                        LEVELS.getFirst(),
                        "0755",
                        """
                        #!/bin/sh
                        [ $# -eq 0 ] || exec %1$s.own "$@"
                        asked=$(cat)
                        case "$asked" in *action=off* | *action=reboot*) exit 1 ;; esac
                        printf '%%s\\n' "$asked" | %1$s.own
                        """
                                .formatted(LEVELS.getFirst()));
        drill.node("node-0")
                .write(
                        LEVELS.getLast(),
                        "0755",
                        """
                        #!/bin/sh
                        [ $# -eq 0 ] || exec %1$s.own "$@"
                        %1$s.own
                        code=$?
                        for tenth in $(seq 300); do
                            [ -e %2$s ] && [ -e %3$s ] || break
                            sleep 0.1
                        done
                        exit $code
                        """
                                .formatted(LEVELS.getLast(), HOLD, RECORD));
    }

    private static void bootsWhileTheBmcAnswers(ScenarioContext drill) throws Exception {
        BootId fenced = new BootId(drill.boot("node-1"));
        long stopped = drill.step("the kernel of node-1 stops, and its next boot cannot be heard");
        drill.node("node-1").crash(LabRequest.CrashKind.PANIC);
        drill.lab()
                .inject(new NetworkFault.Cut(NETWORK, "node-0", "node-1", true, List.of(AGENTS)));
        // An agent that runs finds the record of the fence at once, and asks at once who that was.
        drill.must("node-0", "systemctl", "stop", AGENT);
        try {
            drill.await(
                    "the second level has switched node-1 off and on",
                    ScenarioContext.RECOVERY,
                    () -> drill.node("node-0").run(ScenarioContext.SHORT, "ls", RECORD).ok());
            drill.node("node-1").bmcBehaves(SILENT);
        } finally {
            drill.must("node-0", "systemctl", "start", AGENT);
        }
        // Its boot is over only when Corosync has started.
        drill.awaitAgent("node-1");
        BootId boot = new BootId(drill.boot("node-1"));
        long asked = drill.step("Pacemaker hears of the fence, and the BMC is asked who that was");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS.withAnswerLatency(LATE));
        drill.must("node-0", "rm", "-f", HOLD);
        drill.pause(Duration.ofSeconds(1));
        drill.step("node-1 is heard in its next boot before the BMC answers");
        drill.lab().heal(NETWORK);
        drill.await(
                "node-0 has judged that fence",
                ScenarioContext.RECOVERY,
                () ->
                        drill.happened("node-0", JournalEvent.FenceProvesNothing.class, asked)
                                || drill.happened("node-0", JournalEvent.Fenced.class, asked));
        for (int i = 0; i < 10; i++) {
            nothingIsProvenAbout(drill, boot, stopped);
            drill.pause(Duration.ofSeconds(1));
        }
        drill.finds(
                drill.journal("node-0", JournalEvent.FenceProvesNothing.class, asked).stream()
                        .anyMatch(made -> made.orderedForBoot().equals(fenced.value())),
                "the answer came after the next boot was heard, as this drill wants it");
    }

    private static void nothingIsProvenAbout(ScenarioContext drill, BootId boot, long since) {
        drill.expect(
                drill.journal("node-0", JournalEvent.Fenced.class, since).stream()
                        .noneMatch(made -> made.receipt().peerBoot().equals(boot)),
                "no receipt is about the boot that node-1 is in");
        List<String> kept = Audit.durableProofs(drill.pair());
        drill.expect(kept.isEmpty(), "nothing is kept about a living boot, but: " + kept);
        List<JournalLine> journal = drill.pair().journalSince("node-0", since);
        long heard =
                journal.stream()
                        .filter(line ->
                                line.event() instanceof JournalEvent.PeerHeard(NodeFacts theirs)
                                        && theirs.boot().equals(boot))
                        .mapToLong(JournalLine::nanos)
                        .findFirst()
                        .orElse(Long.MAX_VALUE);
        drill.expect(
                journal.stream()
                        .noneMatch(line ->
                                line.event() instanceof JournalEvent.TakeOver
                                        && line.nanos() > heard),
                "no take-over by node-0 after it has heard the next boot of node-1");
    }

    private static void becomesAnotherMachine(ScenarioContext drill) throws Exception {
        long changed = drill.step("the BMC of node-1 is another machine's from now on");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS.withAnotherMachine(true));
        if (!drill.awaitWarning("node-0", changed, ScenarioContext.WARNED)) {
            drill.await(
                    "node-0 has compared who that machine is",
                    Duration.ofMinutes(6),
                    () ->
                            drill.pair().status("node-0").orElseThrow().fencing().stream()
                                    .anyMatch(line -> line.identity() == BmcIdentity.DIFFERENT));
        }
        nobodyTakesOverThroughIt(drill, () -> theOtherMachineIsOn(drill));
        itIsShotUnnoticedAndThenMended(drill);
    }

    /** The record of the second level is about the other machine, whoever answers later. */
    private static void itIsShotUnnoticedAndThenMended(ScenarioContext drill) throws Exception {
        drill.cause("the agent of node-0 is stopped");
        drill.must("node-0", "systemctl", "stop", AGENT);
        long cut;
        try {
            drill.step("the BMC of node-1 is another machine's, which nobody notices");
            drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS.withAnotherMachine(true));
            cut = drill.step("cut the cluster network; the BMC of node-0 is silent");
            drill.node("node-0").bmcBehaves(SILENT);
            drill.lab().split(NETWORK);
            drill.await(
                    "the second level of node-0 has switched the other machine off and on",
                    NEXT_ORDER,
                    () -> !drill.atBmcs(BmcEvent.Kind.ANOTHER_POWERED_ON).isEmpty());
            drill.step("the address is corrected, with the network still cut");
            drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        } finally {
            drill.must("node-0", "systemctl", "start", AGENT);
        }
        drill.awaitAgent("node-0");
        oneIsShotWhenABmcAnswers(drill, cut);
    }

    /**
     * In a split in which node-0 alone can ask a BMC, that of node-1: its agent does not believe
     * it, and neither does the second level.
     */
    private static void nobodyTakesOverThroughIt(ScenarioContext drill, Runnable look)
            throws Exception {
        String boot = drill.boot("node-1");
        long cut = drill.step("cut the cluster network; the BMC of node-0 is silent");
        drill.node("node-0").bmcBehaves(SILENT);
        drill.lab().split(NETWORK);
        drill.holdsNoTakeOver(cut, NOBODY);
        look.run();
        drill.cause("the agent of node-0 is stopped");
        drill.must("node-0", "systemctl", "stop", AGENT);
        try {
            // Of the first that fails now, the second level may have asked before the agent ended.
            awaitFailureByPacemaker(drill);
            awaitFailureByPacemaker(drill);
        } finally {
            drill.must("node-0", "systemctl", "start", AGENT);
        }
        drill.awaitAgent("node-0");
        drill.holdsNoTakeOver(cut, CONCLUDED);
        look.run();
        drill.expect(drill.boot("node-1").equals(boot), "node-1 has been running all the time");
        oneIsShotWhenABmcAnswers(drill, cut);
    }

    private static void withForeignCertificate(ScenarioContext drill) throws Exception {
        long begun =
                drill.step(
                        "somebody else answers at the address of node-1's BMC, with a certificate"
                                + " of another authority");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS.withForeignCertificate(true));
        drill.awaitWarning("node-0", Impediment.Cause.BMC_UNTRUSTED, begun, ScenarioContext.WARNED);
        nobodyTakesOverThroughIt(drill, () -> nobodyAskedTheStranger(drill));
    }

    private static void nobodyAskedTheStranger(ScenarioContext drill) {
        drill.finds(
                drill.atBmcs(BmcEvent.Kind.STRANGER_ASKED).isEmpty(),
                "nobody has sent anything to whoever shows the foreign certificate");
    }

    private static void theOtherMachineIsOn(ScenarioContext drill) {
        drill.finds(
                drill.atBmcs(BmcEvent.Kind.ANOTHER_POWERED_OFF).isEmpty(),
                "the other machine was not switched off");
    }

    /** Without an agent there is no journal; a fence that succeeds ends the waiting too. */
    private static void awaitFailureByPacemaker(ScenarioContext drill) {
        List<String> before = failedFences(drill);
        drill.await(
                "one more fence by node-0 has failed on both levels",
                NEXT_ORDER,
                () ->
                        !failedFences(drill).equals(before)
                                || !drill.atBmcs(BmcEvent.Kind.ANOTHER_POWERED_OFF).isEmpty()
                                || !drill.atBmcs(BmcEvent.Kind.STRANGER_ASKED).isEmpty());
    }

    private static List<String> failedFences(ScenarioContext drill) {
        return drill.must("node-0", "crm_mon", "-1", "--output-as=xml", "--fence-history=3")
                .lines()
                .filter(line -> line.contains("<fence_event "))
                .filter(line -> line.contains("status=\"failed\""))
                .toList();
    }
}
