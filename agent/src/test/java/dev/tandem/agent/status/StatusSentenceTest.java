package dev.tandem.agent.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.PeerReadiness;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.Runbook;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.Incident;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.health.EtcdAlarm;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.testing.PrintedCommands;
import dev.tandem.host.health.ReportedImpediments;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The first line, as people read it. */
class StatusSentenceTest {
    private static final NodeName SELF = new NodeName("node-0");
    private static final NodeName PEER = new NodeName("node-1");
    private static final Incident INCIDENT = new Incident(new BootId("boot"), "peer-boot", 1);
    private static final AgentStatus.ImpedimentLine PASSWORD =
            new AgentStatus.ImpedimentLine(
                    Cause.BMC_REFUSES_PASSWORD,
                    "node-1",
                    "node-1",
                    "the BMC of node-1 refuses the password",
                    "correct the password",
                    40_300,
                    null,
                    null);
    private static final AgentStatus.ImpedimentLine MAINTENANCE =
            line(
                    Cause.MAINTENANCE,
                    "node-1",
                    null,
                    "Pacemaker is in maintenance mode",
                    "pcs property set maintenance-mode=false");
    private static final AgentStatus.ImpedimentLine AGENT =
            line(
                    Cause.PEER_AGENT_SILENT,
                    "node-1",
                    "node-0",
                    "tandem-agent on node-1 has been silent for 69 s",
                    "on node-1: systemctl status tandem-agent");

    private Health health = Health.REDUNDANT;
    private boolean peerPresent = true;
    private Optional<Health> peerHealth = Optional.of(Health.REDUNDANT);
    private boolean peerTalks = true;
    private boolean peerFollows;
    private boolean etcdRuns = true;
    private boolean cannotBeEnded;
    private PowerReading peersPower = PowerReading.UNKNOWN;
    private List<EtcdAlarm> alarms = List.of();
    private String doing = "etcd serves";
    private Optional<String> trouble = Optional.empty();
    private Optional<String> bootGate = Optional.empty();
    private Optional<Decision> decision = Optional.empty();
    private Optional<AgentStatus.PendingLine> pending = Optional.empty();
    private Optional<StatusSentence.FailedFence> failedFence = Optional.empty();
    private List<AgentStatus.ImpedimentLine> impediments = List.of();
    private List<AgentStatus.ImpedimentLine> warnings = List.of();
    private PeerReadiness peerSays = PeerReadiness.AUTOMATIC;

    private static AgentStatus.ImpedimentLine line(
            Cause cause, String node, @Nullable String whose, String sentence, String remedy) {
        return new AgentStatus.ImpedimentLine(
                cause, node, whose, sentence, remedy, 12_000, null, null);
    }

    private StatusSentence sentence() {
        return StatusSentence.of(
                new StatusSentence.Seen(
                        "node-0",
                        "node-1",
                        health,
                        peerPresent,
                        peerHealth,
                        peerFollows,
                        peerTalks,
                        etcdRuns,
                        cannotBeEnded,
                        peersPower,
                        alarms,
                        "",
                        bootGate,
                        doing,
                        trouble,
                        decision,
                        pending,
                        failedFence,
                        new AgentStatus.Recovery(
                                impediments.isEmpty(), impediments, warnings, peerSays)));
    }

    /** A start was tried and failed; that is not what a person has to know first. */
    @Test
    void aNodeWhoseEtcdDiedWhileSystemdHangsSaysBoth() {
        health = Health.DOWN;
        etcdRuns = false;
        doing = "etcd is restarted in place";
        trouble = Optional.of("systemctl start --no-block tandem-etcd.service failed");
        impediments =
                List.of(
                        line(
                                Cause.SYSTEMD_SILENT,
                                "node-0",
                                "node-1",
                                "systemd on node-0 does not answer",
                                "on node-1: pcs stonith fence node-0"));

        assertThat(sentence().text())
                .isEqualTo(
                        "No writes here: etcd is not running on node-0, and systemd on node-0 does"
                                + " not answer (for 12 s). Runbook: "
                                + Runbook.SYSTEMD_SILENT.path());
        assertThat(sentence().well()).isFalse();

        etcdRuns = true;
        assertThat(sentence().text())
                .as("one that runs is not said to be gone")
                .doesNotContain("not running");
    }

    /** Alone, such a node has nobody who could fence it. */
    @Test
    void anEtcdThatCannotBeEndedIsNamedWithWhoCanEndIt() {
        health = Health.DOWN;
        cannotBeEnded = true;
        doing = "etcd hangs";
        assertThat(sentence().text())
                .startsWith(
                        "No writes here: etcd on node-0 does not serve and cannot be ended: the"
                                + " kernel holds its process. node-1 is to fence this node.")
                .endsWith("(runbook " + Runbook.ETCD_CANNOT_BE_ENDED.path() + ")");

        peerPresent = false;
        assertThat(sentence().text())
                .contains(
                        "node-1 is not in the cluster, so nobody fences this node: bring node-1"
                                + " back, or reset this node by its power button or BMC")
                .endsWith("(runbook " + Runbook.ETCD_CANNOT_BE_ENDED.path() + ")");
        assertThat(sentence().well()).isFalse();
    }

    @Test
    void anAgentThatItsEtcdRefusesNamesTheCertificateThatIsWrong() {
        health = Health.UNSEEN;
        assertThat(sentence().text()).contains("To find out why: systemctl status tandem-etcd");

        impediments =
                List.of(
                        line(
                                Cause.CERTIFICATE_INVALID,
                                "node-0",
                                "node-1",
                                "a certificate of node-0 is not valid: etcd-client.pem expired",
                                "tandem certs install /root/node-0"));

        assertThat(sentence().text())
                .endsWith(
                        "left running. A likely cause: a certificate of node-0 is not valid:"
                                + " etcd-client.pem expired. Fix: tandem certs install"
                                + " /root/node-0");
        assertThat(sentence().well()).isFalse();
    }

    private void waitsForFencing() {
        health = Health.DOWN;
        peerPresent = false;
        doing = "node-1 is silent; node-0 takes over once node-1 is confirmed off";
        decision = Optional.of(new Decision.Wait(WaitFor.FENCING));
    }

    @Test
    void aPairThatIsWell() {
        assertThat(sentence())
                .isEqualTo(
                        new StatusSentence(
                                "etcd is serving on node-0 and node-1; either node can fail without"
                                        + " an outage. No action needed.",
                                true));
    }

    private static AgentStatus.ImpedimentLine reported(Cause cause) {
        Impediment found =
                ReportedImpediments.of(
                                Optional.of(new RecoveryReadiness.Impeded(List.of(cause))),
                                "node-0",
                                "node-1")
                        .getFirst();
        return new AgentStatus.ImpedimentLine(
                found.cause(),
                found.node(),
                found.failureOf().orElse(null),
                found.sentence(),
                found.remedy(),
                9_000,
                null,
                "node-1");
    }

    @Test
    void whatOnlyThePeerFindsIsToldWithTheNodeToRunTheRemedyOn() {
        impediments = List.of(reported(Cause.BMC_UNREACHABLE));
        peerSays = PeerReadiness.IMPEDED;

        assertThat(sentence())
                .isEqualTo(
                        new StatusSentence(
                                "etcd is serving on node-0 and node-1, but if node-0 fails, there"
                                        + " is no automatic recovery: node-1 cannot reach the BMC"
                                        + " of node-0 (for 9 s). Fix: on node-1: tandem fencing"
                                        + " check",
                                false));
    }

    @ParameterizedTest
    @EnumSource
    void whateverThePeerReportsIsNotWellAndCanBePasted(Cause cause) {
        impediments = List.of(reported(cause));

        assertThat(sentence().well()).isFalse();
        assertThat(sentence().text()).contains("if node-0 fails").contains("Fix: ");
        assertThat(PrintedCommands.faults(sentence().text())).isEmpty();
    }

    @Test
    void whatHindersTheApiAloneIsToldAsThat() {
        impediments =
                List.of(
                        line(
                                Cause.API_ADDRESS_DISABLED,
                                "node-1",
                                null,
                                "the API address is disabled in Pacemaker",
                                "pcs resource enable tandem-api-address"));

        assertThat(sentence())
                .isEqualTo(
                        new StatusSentence(
                                "etcd is serving on node-0 and node-1, but if either node fails,"
                                        + " the API is not recovered automatically: the API address"
                                        + " is disabled in Pacemaker (for 12 s). Fix: pcs resource"
                                        + " enable tandem-api-address",
                                false));
    }

    @Test
    void aNodeThatIsLeftTellsFirstWhatKeepsTheApiAway() {
        health = Health.ALONE;
        peerPresent = false;
        impediments =
                List.of(
                        line(
                                Cause.API_ADDRESS_BANNED,
                                "node-0",
                                "node-1",
                                "the API address would not move to node-0",
                                "pcs constraint delete old"));
        assertThat(sentence().text())
                .isEqualTo(
                        "etcd is serving on node-0 alone, and the API may be unreachable: the API"
                                + " address would not move to node-0 (for 12 s). Fix: pcs"
                                + " constraint delete old");

        impediments =
                List.of(
                        line(
                                Cause.API_ADDRESS_BANNED,
                                "node-1",
                                "node-0",
                                "the API address would not move to node-1",
                                "pcs constraint delete old"));
        assertThat(sentence().text()).as("the peer that is gone").doesNotContain("API");
    }

    /** An older release is no fault, and nothing is claimed in its name either. */
    @Test
    void aPeerThatDoesNotTellIsSaidToNotTell() {
        peerSays = PeerReadiness.NOT_TOLD;

        assertThat(sentence())
                .isEqualTo(
                        new StatusSentence(
                                "etcd is serving on node-0 and node-1; as far as node-0 knows,"
                                        + " either node can fail without an outage. The older"
                                        + " release on node-1 does not report whether it would"
                                        + " recover from a failure of node-0.",
                                true));
    }

    @Test
    void aPeerThatHasNotSaidLatelyIsUnknown() {
        impediments =
                List.of(
                        line(
                                Cause.PEER_READINESS_UNKNOWN,
                                "node-1",
                                "node-0",
                                "node-1 has not reported recently",
                                "on node-1: tandem status"));
        peerSays = PeerReadiness.UNKNOWN;

        assertThat(sentence().well()).isFalse();
        assertThat(sentence().text())
                .contains("Whether a failure of node-0 would be recovered automatically is not")
                .endsWith("Fix: on node-1: tandem status");
    }

    /** It keeps the peer from acting; this node waits for something else. */
    @ParameterizedTest
    @EnumSource
    void whatThePeerReportsIsNoReasonForThisNodesWaits(Cause cause) {
        health = Health.DOWN;
        etcdRuns = false;
        String alone = sentence().text();
        impediments = List.of(reported(cause));

        assertThat(sentence().text()).isEqualTo(alone);
    }

    @Test
    void aKnownCauseIsToldWithItsAgeAndTheRemedy() {
        impediments = List.of(PASSWORD);

        assertThat(sentence().text())
                .isEqualTo(
                        "etcd is serving on node-0 and node-1, but if node-1 fails, there is no"
                                + " automatic recovery: the BMC of node-1 refuses the password"
                                + " (for 40 s). Fix: correct the password");
    }

    @Test
    void aLearnerWhoseLeaderHasNoAgentIsNotPromoted() {
        health = Health.LEARNING;
        assertThat(sentence().text()).endsWith("No action needed.");

        impediments = List.of(AGENT);
        assertThat(sentence().text())
                .startsWith(
                        "node-0 is catching up from node-1 and cannot take over yet, nor become a"
                                + " voter: ")
                .contains(" Fix: on node-1: ");
    }

    @Test
    void whatHoldsForBothSaysEither() {
        impediments = List.of(MAINTENANCE, PASSWORD);

        assertThat(sentence().text())
                .isEqualTo(
                        "etcd is serving on node-0 and node-1, but if either node fails, there is"
                            + " no automatic recovery: Pacemaker is in maintenance mode (for 12 s)"
                            + " (and 1 more, below). Fix: pcs property set maintenance-mode=false");
    }

    @Test
    void aSilentAgentTellsItsAgeOnce() {
        impediments = List.of(AGENT);

        assertThat(sentence().text())
                .contains("if node-0 fails, there is no automatic recovery")
                .contains("tandem-agent on node-1 has been silent for 69 s. Fix: on node-1:");
    }

    /** Whichever cause it is, and whatever comes of causes later. */
    @ParameterizedTest
    @EnumSource
    void noCauseLeavesAllWell(Cause cause) {
        impediments = List.of(line(cause, "node-1", null, "something is wrong", "mend it"));

        assertThat(sentence().well()).isFalse();
        assertThat(sentence().text())
                .doesNotContain("No action")
                .doesNotContain("either node can")
                .contains("something is wrong")
                .contains("Fix: mend it");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REDUNDANT")
    void whoIsNotRedundantIsNotWell(Health other) {
        health = other;

        assertThat(sentence().well()).isFalse();
    }

    @Test
    void aPeerThatIsGoneOrNotWellOrAnAlarmIsNotWell() {
        peerPresent = false;
        assertThat(sentence().well()).isFalse();
        peerPresent = true;
        peerHealth = Optional.of(Health.DOWN);
        assertThat(sentence().well()).isFalse();
        peerHealth = Optional.of(Health.REDUNDANT);
        alarms = List.of(EtcdAlarm.NOSPACE);
        assertThat(sentence().well()).isFalse();
        assertThat(sentence().text()).contains("refuses writes");
    }

    @Test
    void doubtAboutTheOwnBmcSendsToThePeer() {
        warnings =
                List.of(
                        line(
                                Cause.BMC_REFUSES_PASSWORD,
                                "node-0",
                                "node-0",
                                "the BMC of node-0 refuses the password",
                                "correct it"));

        assertThat(sentence().well()).isFalse();
        assertThat(sentence().text())
                .contains("A failure of node-1 would be recovered")
                .endsWith(
                        "refuses the password (for 12 s). To find out why, on node-1: tandem"
                                + " status");
    }

    @Test
    void inAnOutageTheCauseAndWhatEndsItComeFirst() {
        waitsForFencing();
        impediments = List.of(PASSWORD);

        assertThat(sentence().text())
                .isEqualTo(
                        "No writes here: node-1 is silent and cannot be fenced, because the BMC of"
                            + " node-1 refuses the password (for 40 s). Fix: correct the password;"
                            + " or, if you have seen that node-1 is off: tandem confirm-peer-off"
                            + " node-1 (runbook"
                            + " /usr/share/doc/tandem/runbooks/peer-not-confirmed-off.md)");

        impediments = List.of(MAINTENANCE);
        assertThat(sentence().text())
                .contains("because Pacemaker is in maintenance mode")
                .contains("Fix: pcs property set maintenance-mode=false; or,");
    }

    /** Somebody works at the BMC of node-0 while node-1 fails. */
    @Test
    void aDeviceThatFencesThisNodeIsNoReasonWhyThePeerIsNotFenced() {
        waitsForFencing();
        impediments =
                List.of(
                        line(
                                Cause.FENCE_DEVICE_DISABLED,
                                "node-0",
                                "node-0",
                                "a fence device of node-0 is disabled",
                                "pcs stonith enable tandem-fence-node-0"),
                        PASSWORD);

        assertThat(sentence().text())
                .contains("cannot be fenced, because the BMC of node-1 refuses the password")
                .doesNotContain("pcs stonith enable");
    }

    /** An account that may read and not switch: every reading is well. */
    @Test
    void whatOnlyTheFenceHasFoundIsToldWithTheRemedyOfItsFault() {
        waitsForFencing();
        failedFence =
                Optional.of(
                        new StatusSentence.FailedFence(
                                "node-1 is not known to be off: after 0.2 s it last read On; the"
                                        + " BMC's account lacks privileges: Forbidden",
                                Duration.ofSeconds(7),
                                Optional.of("give the account the role Operator")));
        peersPower = PowerReading.ON;

        assertThat(sentence().text())
                .isEqualTo(
                        "No writes here: node-1 is silent and could not be fenced: node-1 is not"
                            + " known to be off: after 0.2 s it last read On; the BMC's account"
                            + " lacks privileges: Forbidden (7 s ago). Fix: give the account the"
                            + " role Operator (runbook"
                            + " /usr/share/doc/tandem/runbooks/peer-not-confirmed-off.md)");

        peersPower = PowerReading.UNKNOWN;
        assertThat(sentence().text())
                .contains("Operator; or, if you have seen that node-1 is off: tandem confirm-");
        assertThat(PrintedCommands.faults(sentence().text())).isEmpty();

        impediments = List.of(PASSWORD);
        assertThat(sentence().text())
                .as("what reading the BMC shows comes first")
                .contains("cannot be fenced, because the BMC of node-1 refuses the password");
    }

    /** It accepted the order, and nothing happened. */
    @Test
    void aFenceThatFailedWithoutAFaultHasTheRemedyOfTheWait() {
        waitsForFencing();
        failedFence =
                Optional.of(
                        new StatusSentence.FailedFence(
                                "node-1 is not known to be off: after 20.0 s it last read On",
                                Duration.ofSeconds(3),
                                Optional.empty()));
        pending =
                Optional.of(
                        new AgentStatus.PendingLine(
                                doing,
                                30_000,
                                WaitFor.FENCING,
                                null,
                                WaitFor.Owner.FENCING,
                                70_000L,
                                false,
                                null,
                                "switch node-1 off",
                                "/doc/page.md"));

        assertThat(sentence().text())
                .contains("could not be fenced: node-1 is not known to be off")
                .contains("(3 s ago). Fix: switch node-1 off (runbook");
    }

    @Test
    void aFenceThatFailedIsNoNewsOnceNobodyWaitsForIt() {
        failedFence =
                Optional.of(
                        new StatusSentence.FailedFence(
                                "it failed", Duration.ofSeconds(3), Optional.empty()));

        assertThat(sentence().well()).isTrue();
    }

    @Test
    void aFenceThatIsUnderWayHasNoCause() {
        waitsForFencing();

        assertThat(sentence().text())
                .isEqualTo(
                        "No writes here: node-1 is silent; node-0 takes over once node-1 is"
                                + " confirmed off.");
    }

    @Test
    void anOverdueWaitSaysWhatAPersonMayDo() {
        waitsForFencing();
        pending =
                Optional.of(
                        new AgentStatus.PendingLine(
                                doing,
                                71_000,
                                WaitFor.FENCING,
                                null,
                                WaitFor.Owner.FENCING,
                                70_000L,
                                true,
                                null,
                                "look at it",
                                "/doc/page.md"));

        assertThat(sentence().text())
                .endsWith("confirmed off (overdue). Fix: look at it (runbook /doc/page.md)");
    }

    /** With the full stops of the sentences around them. */
    @ParameterizedTest
    @EnumSource
    void whatIsPrintedForAWaitCanBePasted(WaitFor wait) {
        health = Health.DOWN;
        peerPresent = false;
        decision = Optional.of(new Decision.Wait(wait));
        doing = decision.get().sentence(SELF, PEER);
        for (boolean overdue : List.of(true, false)) {
            pending =
                    Optional.of(
                            new AgentStatus.PendingLine(
                                    doing,
                                    71_000,
                                    wait,
                                    null,
                                    wait.owner(),
                                    70_000L,
                                    overdue,
                                    null,
                                    wait.remedy(SELF, PEER).orElse(null),
                                    wait.runbook().path()));

            assertThat(PrintedCommands.faults(sentence().text())).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsPrintedForARefusalCanBePasted(Refusal refusal) {
        health = Health.DOWN;
        decision = Optional.of(new Decision.Refuse(refusal));
        doing = decision.get().sentence(SELF, PEER);
        pending =
                Optional.of(
                        new AgentStatus.PendingLine(
                                doing,
                                1,
                                null,
                                refusal,
                                WaitFor.Owner.PERSON,
                                null,
                                false,
                                refusal.missing(SELF, PEER),
                                refusal.remedy(SELF, PEER, INCIDENT),
                                refusal.runbook().path()));

        assertThat(sentence().text()).contains("Fix: ");
        assertThat(PrintedCommands.faults(sentence().text())).isEmpty();
    }

    /** Pacemaker asks nothing of such a node, so there is no wait that could say what to do. */
    @Test
    void aNodeThatBootedAloneSaysWhatAPersonMayDo() {
        health = Health.DOWN;
        etcdRuns = false;
        peerPresent = false;
        doing = new Decision.Wait(WaitFor.PEER_RETURN).sentence(SELF, PEER);
        String remedy = WaitFor.PEER_RETURN.remedy(SELF, PEER).orElseThrow();
        impediments = List.of(line(Cause.NO_QUORUM, "node-0", null, "no quorum", remedy));

        assertThat(sentence().text())
                .isEqualTo(
                        "No writes here: node-0 has booted and has not met node-1 since, so it does"
                                + " not start etcd alone. Fix: switch node-1 on, or, if you have"
                                + " seen that it is off: tandem confirm-peer-off node-1 (runbook"
                                + " /usr/share/doc/tandem/runbooks/peer-not-back.md)");
    }

    @Test
    void aWaitNamesItsRunbookOnceItIsOverdue() {
        health = Health.DOWN;
        doing = "node-0 waits until node-1 serves";
        decision = Optional.of(new Decision.Wait(WaitFor.PEER_SERVES));
        pending = Optional.of(waitForPeer(false));
        assertThat(sentence().text()).endsWith("waits until node-1 serves.");

        pending = Optional.of(waitForPeer(true));
        assertThat(sentence().text())
                .endsWith("waits until node-1 serves (overdue). Runbook: /doc/page.md");
    }

    private AgentStatus.PendingLine waitForPeer(boolean overdue) {
        return new AgentStatus.PendingLine(
                doing,
                121_000,
                WaitFor.PEER_SERVES,
                null,
                WaitFor.Owner.PEER,
                120_000L,
                overdue,
                null,
                null,
                "/doc/page.md");
    }

    @Test
    void anAlarmNamesItsRunbook() {
        alarms = List.of(EtcdAlarm.NOSPACE);
        assertThat(sentence().text())
                .endsWith("(runbook /usr/share/doc/tandem/runbooks/database-full.md)");
        alarms = List.of(EtcdAlarm.CORRUPT);
        assertThat(sentence().text())
                .endsWith("(runbook /usr/share/doc/tandem/runbooks/databases-differ.md)");
    }

    @Test
    void aNodeInStandbySaysSoAndNotWhatItDidLast() {
        health = Health.DOWN;
        etcdRuns = false;
        doing = "etcd on node-0 stops: node-1 took node-0 off the member list";
        impediments =
                List.of(
                        line(
                                Cause.NODE_STANDBY,
                                "node-0",
                                "node-1",
                                "node-0 is in standby",
                                "pcs node unstandby node-0"));

        assertThat(sentence().text())
                .isEqualTo(
                        "No writes here: etcd is not started on node-0, because node-0 is in"
                                + " standby (for 12 s). Fix: pcs node unstandby node-0");
    }

    @Test
    void thePeersStandbyIsNoReasonWhyEtcdIsDownHere() {
        health = Health.DOWN;
        etcdRuns = false;
        doing = "Pacemaker has not started etcd here";
        impediments =
                List.of(
                        line(
                                Cause.NODE_STANDBY,
                                "node-1",
                                "node-0",
                                "node-1 is in standby",
                                "pcs node unstandby node-1"));

        assertThat(sentence().text()).endsWith("Pacemaker has not started etcd here.");
    }

    @Test
    void whoWaitsForThePeersFactsIsToldThatItsAgentIsSilent() {
        health = Health.DOWN;
        doing = "node-1 is up; waiting for it to report the state of its replica";
        decision = Optional.of(new Decision.Wait(WaitFor.PEER_FACTS));
        impediments = List.of(AGENT);

        assertThat(sentence().text())
                .endsWith(
                        "of its replica; tandem-agent on node-1 has been silent for 69 s. Fix: on"
                                + " node-1: systemctl status tandem-agent");
    }

    @Test
    void aRefusalStaysTheFirstWord() {
        health = Health.DOWN;
        etcdRuns = false;
        doing = "the histories went on separately";
        decision = Optional.of(new Decision.Refuse(Refusal.FORKED));
        impediments = List.of(MAINTENANCE);
        pending =
                Optional.of(
                        new AgentStatus.PendingLine(
                                doing,
                                1,
                                null,
                                Refusal.FORKED,
                                WaitFor.Owner.PERSON,
                                null,
                                false,
                                "a choice",
                                "choose one",
                                "/doc/page.md"));

        assertThat(sentence().text())
                .isEqualTo(
                        "No writes here: the histories went on separately. Fix: choose one (runbook"
                                + " /doc/page.md)");
    }

    @Test
    void aPacemakerThatHasJustBegunIsNoCause() {
        health = Health.DOWN;
        etcdRuns = false;
        doing = "node-0 has not met node-1";
        impediments =
                List.of(line(Cause.PACEMAKER_SILENT, "node-0", null, "not yet", "look at it"));

        assertThat(sentence().text()).isEqualTo("No writes here: node-0 has not met node-1.");
    }

    @Test
    void whoServesAloneSaysWhatKeepsThePeerAway() {
        health = Health.ALONE;
        peerHealth = Optional.of(Health.DOWN);
        assertThat(sentence().text())
                .endsWith("waiting for node-1 to join. If that lasts, on node-1: tandem status");
        impediments =
                List.of(
                        line(
                                Cause.NODE_STANDBY,
                                "node-1",
                                "node-0",
                                "node-1 is in standby",
                                "pcs node unstandby node-1"));
        assertThat(sentence().text())
                .endsWith(
                        "node-1 cannot join: node-1 is in standby (for 12 s). Fix: pcs node"
                                + " unstandby node-1");
        peerFollows = true;
        assertThat(sentence().text()).endsWith("node-1 is catching up. No action needed.");
        peerPresent = false;
        assertThat(sentence().text())
                .endsWith("If that lasts more than 5 minutes: pcs cluster start node-1");
        peerTalks = false;
        assertThat(sentence().text())
                .endsWith("node-1 does not answer. If it is not booting, switch it on.");
    }

    @Test
    void aNetworkThatIsNotCalmYetIsTheOnlyReason() {
        waitsForFencing();
        bootGate = Optional.of("the link was unstable");
        impediments = List.of(PASSWORD);

        assertThat(sentence().text())
                .isEqualTo("No writes here: the link was unstable. No action needed.");
    }

    /** Corosync notices a second or two later, and until then nobody knows more. */
    @Test
    void aBmcThatReadsOffIsNotWellBeforeCorosyncNotices() {
        peersPower = PowerReading.OFF;

        assertThat(sentence())
                .isEqualTo(
                        new StatusSentence(
                                "the BMC of node-1 reads Off; waiting for Corosync to declare it"
                                        + " lost. No action needed.",
                                false));

        impediments = List.of(PASSWORD);
        assertThat(sentence().text()).contains("refuses the password");
    }

    /** The agent would refuse it. */
    @Test
    void nobodyIsToldToConfirmWhatTheBmcContradicts() {
        waitsForFencing();
        impediments = List.of(MAINTENANCE);
        peersPower = PowerReading.ON;

        assertThat(sentence().text())
                .contains("Fix: pcs property set maintenance-mode=false (runbook")
                .doesNotContain("confirm-peer-off");
    }

    @Test
    void aFullDiskSaysWhoServesAndWhatToDo() {
        health = Health.DOWN;
        etcdRuns = false;
        peerHealth = Optional.of(Health.ALONE);
        doing =
                "not enough space in /var/lib/tandem: 612 MB are needed for the database and log of"
                        + " https://10.0.0.2:2379, and 212 MB are free";
        trouble = Optional.of(doing);

        assertThat(sentence().text())
                .isEqualTo(
                        "No writes here: etcd is serving on node-1 alone; "
                                + doing
                                + ". Fix: free space on the disk of /var/lib/etcd; to see which"
                                + " replicas are kept there: tandem replicas list");
        assertThat(PrintedCommands.faults(sentence().text())).isEmpty();
    }
}
