package dev.tandem.cli.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.HistoryChoice;
import dev.tandem.cli.UsageException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the agent's answers look like to people. */
class NodeTextTest {
    private static JsonNode json(String text) throws JsonProcessingException {
        return new JsonMapper().readTree(text.replace('\'', '"'));
    }

    private static AgentStatus status(String text) {
        return AgentMessages.read(text.replace('\'', '"'), AgentStatus.class);
    }

    private static HistoryChoice choice(String text) {
        return AgentMessages.read(text.replace('\'', '"'), HistoryChoice.class);
    }

    @Test
    void theSentenceIsFirstAndKubernetesHasALineWhereTheAgentHasASayInIt() throws Exception {
        String with =
                StatusText.of(
                        status(
                                """
                                {'sentence':'etcd serves.','kubernetes':{'state':'WAITS_FOR_API',
                                 'sentence':'the API has yet to hear that node-1 is off',
                                 'sinceMillis':3200}}
                                """));

        assertThat(with.lines())
                .startsWith("etcd serves.")
                .contains("  kubernetes the API has yet to hear that node-1 is off, for 3.2 s");
        assertThat(StatusText.of(status("{'sentence':'etcd serves.'}")))
                .startsWith("etcd serves.\n")
                .doesNotContain("kubernetes");
    }

    @Test
    void eachFenceDeviceHasALineBelowTheBmcThatItUses() throws Exception {
        String text =
                StatusText.of(
                        status(
                                """
                                {'sentence':'etcd serves.','fencing':[
                                 {'node':'node-1','power':'ON','devices':[
                                  {'device':'tandem-fence-node-1','level':1,'usable':'USABLE'},
                                  {'device':'tandem-redfish-node-1','level':3,'usable':'RUSTY'}]},
                                 {'node':'node-1','power':'ON','second':true,'devices':[
                                  {'device':'tandem-ipmilan-node-1','level':2,
                                   'usable':'DISABLED'}]}]}
                                """));

        assertThat(text.lines())
                .containsSubsequence(
                        "    level 1   tandem-fence-node-1, could be used",
                        "    level 3   tandem-redfish-node-1, not known whether it could be used",
                        "    level 2   tandem-ipmilan-node-1, disabled");
    }

    @Test
    void whyNothingWouldBeRecoveredIsToldWithWhatToDo() throws Exception {
        String text =
                StatusText.of(
                        status(
                                """
                                {'sentence':'etcd serves.','recovery':{'automatic':false,
                                 'impediments':[{'cause':'FENCING_OFF','node':'node-1',
                                  'sentence':'fencing is switched off',
                                  'remedy':'pcs property set stonith-enabled=true',
                                  'sinceMillis':40100}],'warnings':[]}}
                                """));

        assertThat(text.lines())
                .contains(
                        "  no automatic recovery: fencing is switched off, for 40 s",
                        "    fix: pcs property set stonith-enabled=true",
                        "  recovery   none: a person would be needed; see above");
        assertThat(
                        StatusText.of(
                                status(
                                        """
                                        {'sentence':'etcd serves.','recovery':{'automatic':true},
                                         'prediction':{'millis':3900,'objectiveMillis':10000},
                                         'profile':'lan'}
                                        """)))
                .contains("  recovery   about 3.9 s if the peer loses power (profile lan)\n");
        assertThat(
                        StatusText.of(
                                status(
                                        """
                                        {'sentence':'etcd serves.','recovery':{'automatic':true},
                                         'prediction':{'millis':3900,'hungMillis':9900,
                                          'apiMillis':4500,
                                          'switchOffMeasured':true,'objectiveMillis':10000},
                                         'profile':'lan'}
                                        """)))
                .contains(
                        "about 3.9 s if the peer loses power, 9.9 s if it hangs; the API follows"
                                + " 0.6 s later (profile");
        // The peer is gone: there is nothing that could crash.
        assertThat(StatusText.of(status("{'sentence':'x','recovery':{'automatic':true}}")))
                .doesNotContain("  recovery ");
    }

    /** By the cause and who found it, whatever the words are. */
    @Test
    void howLongIsToldOnce() {
        String line =
                """
                {'sentence':'x','recovery':{'impediments':[{'cause':'%s','sentence':'%s',
                 'remedy':'r','sinceMillis':12000%s}]}}
                """;

        assertThat(StatusText.of(status(line.formatted("PEER_AGENT_SILENT", "silent for 9 s", ""))))
                .contains("no automatic recovery: silent for 9 s\n");
        assertThat(StatusText.of(status(line.formatted("FENCING_OFF", "off, and not for 9 s", ""))))
                .contains("no automatic recovery: off, and not for 9 s, for 12 s\n");
        assertThat(
                        StatusText.of(
                                status(
                                        line.formatted(
                                                "PACEMAKER_SILENT",
                                                "Pacemaker does not answer on node-1",
                                                ",'reportedBy':'node-1'"))))
                .contains("Pacemaker does not answer on node-1, for 12 s\n");
    }

    @Test
    void aPeerThatDoesNotTellIsInformationAndNoFinding() {
        AgentStatus status =
                status(
                        """
                        {'sentence':'x','node':'node-0','peer':'node-1','health':'REDUNDANT',
                         'eitherNodeCanFail':true,
                         'recovery':{'automatic':true,'peerSays':'NOT_TOLD'}}
                        """);

        assertThat(StatusText.of(status))
                .contains("  unknown    whether node-1 would recover from a failure of node-0: ");
        assertThat(StatusCommand.isWell(status)).isTrue();
        assertThat(StatusText.of(status("{'sentence':'x'}"))).doesNotContain("unknown    whether");
    }

    @Test
    void aRunbookIsNamedWhereAPersonHasToAct() throws Exception {
        String pending =
                """
                {'sentence':'x','pending':{'sentence':'y','sinceMillis':71000,%s
                 'runbook':'/doc/page.md'}}
                """;

        assertThat(StatusText.of(status(pending.formatted("'limitMillis':70000,'overdue':true,"))))
                .contains("  runbook: /doc/page.md\n");
        assertThat(StatusText.of(status(pending.formatted("'limitMillis':99000,'overdue':false,"))))
                .doesNotContain("runbook");
        // A refusal has no time in which it would end.
        assertThat(StatusText.of(status(pending.formatted("'overdue':false,"))))
                .contains("  runbook: /doc/page.md\n");
        assertThat(
                        StatusText.of(
                                status(
                                        """
                                        {'sentence':'x','recovery':{'impediments':[
                                         {'sentence':'z','remedy':'mend it','sinceMillis':1,
                                          'runbook':'/doc/page.md'}]}}
                                        """)))
                .contains("    fix: mend it\n    runbook: /doc/page.md\n");
    }

    /** What a person would be refused, or need not do, is not printed as a fix. */
    @Test
    void aWaitThatIsInTimeOrdersNothing() {
        String pending =
                """
                {'sentence':'x','pending':{'sentence':'y','sinceMillis':400,'owner':'%s',
                 'limitMillis':70000,'overdue':%s,'remedy':'look at it'}}
                """;

        assertThat(StatusText.of(status(pending.formatted("FENCING", false))))
                .contains("waiting for fencing; normal up to 70 s\n")
                .contains("  No action needed before 70 s.\n")
                .doesNotContain("fix:");
        assertThat(StatusText.of(status(pending.formatted("FENCING", true))))
                .contains("  fix: look at it\n")
                .doesNotContain("No action");
        assertThat(StatusText.of(status(pending.formatted("PERSON", false))))
                .contains("  fix: look at it\n");
    }

    @Test
    void whatANodeThatIsGoneDidLastHasItsColumn() {
        String line =
                """
                {'sentence':'x','nodes':[{'name':'node-1','present':false,'%s':'LEADERLESS',
                 'replica':'INTACT','role':'ONE_OF_TWO','complete':true}]}
                """;

        assertThat(StatusText.of(status(line.formatted("lastEtcd"))))
                .contains("  node-1     was leaderless one of two  complete")
                .isEqualTo(StatusText.of(status(line.formatted("etcd"))));
    }

    @Test
    void aFailureThatTheSentenceTellsIsNotToldAgain() {
        assertThat(
                        StatusText.of(
                                status("{'sentence':'No writes: it broke.','trouble':'it broke'}")))
                .containsOnlyOnce("it broke")
                .contains("  failed, and will be retried\n");
        assertThat(StatusText.of(status("{'sentence':'No writes.','trouble':'it broke'}")))
                .contains("  failed, and will be retried: it broke\n");
    }

    @Test
    void kubernetesInServiceHasNoDuration() {
        assertThat(
                        StatusText.of(
                                status(
                                        """
                                        {'sentence':'x','kubernetes':{'state':'IN_SERVICE',
                                         'sentence':'both nodes in service','sinceMillis':9000}}
                                        """)))
                .contains("  kubernetes both nodes in service\n");
    }

    @Test
    void whatToDoIsPrintedOnce() {
        String command = "tandem confirm-peer-off node-1";
        String text =
                StatusText.of(
                        status(
                                """
                                {'sentence':'It waits. Fix: CMD (runbook /doc/page.md)',
                                 'pending':{'sentence':'y','sinceMillis':71000,'overdue':true,
                                  'limitMillis':70000,'remedy':'CMD','runbook':'/doc/page.md'},
                                 'recovery':{'impediments':[
                                  {'sentence':'no quorum','remedy':'CMD','sinceMillis':1},
                                  {'sentence':'a','remedy':'mend it','sinceMillis':1},
                                  {'sentence':'b','remedy':'mend it','sinceMillis':1}]}}
                                """
                                        .replace("CMD", command)));

        assertThat(text).containsOnlyOnce(command).containsOnlyOnce("/doc/page.md");
        assertThat(text).containsOnlyOnce("fix: mend it").contains("no quorum, for 0.0 s");
    }

    @Test
    void onlyAPairThatRecoversByItselfIsWell() throws Exception {
        String status = "{'eitherNodeCanFail':%s,'health':'%s','recovery':{'automatic':%s}}";

        assertThat(StatusCommand.isWell(status(status.formatted(true, "REDUNDANT", true))))
                .isTrue();
        assertThat(StatusCommand.isWell(status(status.formatted(false, "REDUNDANT", true))))
                .isFalse();
        assertThat(StatusCommand.isWell(status(status.formatted(true, "ALONE", true)))).isFalse();
        assertThat(StatusCommand.isWell(status(status.formatted(true, "REDUNDANT", false))))
                .isFalse();
        assertThat(StatusCommand.isWell(status("{'health':'REDUNDANT'}"))).isFalse();
    }

    /** An agent of a later release, whose words have no name here. */
    @Test
    void whatANewerAgentSaysIsShownAsFarAsItIsKnown() {
        AgentStatus newer =
                status(
                        """
                        {'version':1,'sentence':'etcd dozes.','health':'DOZING','colour':'blue',
                         'eitherNodeCanFail':true,'alarms':['TOO_LOUD'],
                         'recovery':{'automatic':true,'warnings':[{'cause':'TOO_HOT','node':'node-1',
                          'sentence':'node-1 is hot','remedy':'open a window','sinceMillis':100}]},
                         'nodes':[{'name':'node-0','present':true,'heardMillis':0,'etcd':'DOZING',
                          'replica':'INTACT','role':'SOLE','complete':true,
                          'abdicated':'RETIRED'}]}
                        """);

        assertThat(StatusText.of(newer))
                .startsWith("etcd dozes.\n")
                .contains("node-1 is hot, for 0.1 s", "fix: open a window")
                .contains("node-0     unknown        sole        complete")
                .contains("gave up its right to take over in an unknown way")
                .contains("etcd has raised an alarm that this release does not know");
        assertThat(StatusCommand.isWell(newer)).isFalse();
    }

    @Test
    void theJournalIsToldASentenceALine() throws Exception {
        String text =
                JournalText.of(
                        List.of(
                                json(
                                        """
                                        {'time':'2026-01-02T03:04:05.678901Z','event':'node-marked',
                                         'node':'node-1','boot':'b'}
                                        """),
                                json("{'event':'of-a-newer-agent','what':'ever'}")));

        assertThat(text.lines())
                .first()
                .isEqualTo(
                        "2026-01-02 03:04:05.678  node node-1 has been marked out of service in"
                                + " Kubernetes (taint node.kubernetes.io/out-of-service)");
        assertThat(text).contains("of a newer agent (this line cannot be read: ");
    }

    /** As in the status; as numbers most programs would round them. */
    @Test
    void idsOfMembersAreWrittenAsEtcdWritesThem() throws Exception {
        assertThat(
                        MemberIds.inHex(
                                json(
                                        """
                                        {'memberId':255,'a':[{'memberId':-1,'index':255}],
                                         'b':{'memberId':'ff'}}
                                        """)))
                .isEqualTo(
                        json(
                                """
                                {'memberId':'ff','a':[{'memberId':'ffffffffffffffff','index':255}],
                                 'b':{'memberId':'ff'}}
                                """));
    }

    @Test
    void whatTheJournalRepeatsIsToldOnce() throws Exception {
        String line =
                "{'time':'2026-01-02T03:04:0%d.678Z','v':1,'event':'node-marked','node':'%s','boot':'b'}";
        String text =
                JournalText.of(
                        List.of(
                                json(line.formatted(1, "node-1")),
                                json(line.formatted(2, "node-1")),
                                json(line.formatted(3, "node-1")),
                                json(line.formatted(4, "node-0"))));

        assertThat(text.lines())
                .containsExactly(
                        "2026-01-02 03:04:01.678  node node-1 has been marked out of service in"
                                + " Kubernetes (taint node.kubernetes.io/out-of-service)",
                        "    repeated 2 more times, until 2026-01-02 03:04:03.678",
                        "2026-01-02 03:04:04.678  node node-0 has been marked out of service in"
                                + " Kubernetes (taint node.kubernetes.io/out-of-service)");
    }

    @Test
    void aTimeIsTypedAsItIsPrintedOrAsHowLongAgo() {
        InstantSource clock = InstantSource.fixed(Instant.parse("2026-11-17T03:00:00Z"));

        assertThat(Since.parse("10m", clock)).isEqualTo("2026-11-17T02:50:00Z");
        assertThat(Since.parse("2h", clock)).isEqualTo("2026-11-17T01:00:00Z");
        assertThat(Since.parse("2026-01-02 03:04:05.678", clock))
                .isEqualTo("2026-01-02T03:04:05.678Z");
        assertThatThrownBy(() -> Since.parse("yesterday", clock))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("neither a time nor how long ago");
    }

    @Test
    void aChoiceBetweenHistoriesSaysWhatIsLost() throws Exception {
        String choice =
                """
                {'incident':'4f1c02aa','keeps':{'node':'node-0','epoch':2,'index':12},
                 'setsAside':{'node':'node-1','epoch':3,'index':9},'sharedUpTo':%d}
                """;

        assertThat(KeepHistoryCommand.text(choice(choice.formatted(6))))
                .contains("will keep:         the history of node-0: epoch 2, index 12")
                .contains("will set aside:    that of node-1: epoch 3, index 9")
                .contains("no longer served:  what node-1 wrote after index 6")
                .contains("4f1c02aa");
        assertThat(KeepHistoryCommand.text(choice(choice.formatted(0))))
                .contains("every write that only node-1 holds");
    }
}
