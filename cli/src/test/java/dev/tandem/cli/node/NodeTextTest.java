package dev.tandem.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the agent's answers look like to people. */
class NodeTextTest {
    private static JsonNode json(String text) throws JsonProcessingException {
        return new JsonMapper().readTree(text.replace('\'', '"'));
    }

    @Test
    void theSentenceIsFirstAndKubernetesHasALineWhereTheAgentHasASayInIt() throws Exception {
        String with =
                StatusText.of(
                        json(
                                """
                                {'sentence':'etcd serves.','kubernetes':{'state':'WAITS_FOR_API',
                                 'sentence':'the API has yet to hear that node-1 is off',
                                 'sinceMillis':3200}}
                                """));

        assertThat(with.lines())
                .startsWith("etcd serves.")
                .contains("  kubernetes the API has yet to hear that node-1 is off, since 3.2 s");
        assertThat(StatusText.of(json("{'sentence':'etcd serves.'}")))
                .startsWith("etcd serves.\n")
                .doesNotContain("kubernetes");
    }

    @Test
    void whyNothingWouldBeRecoveredIsToldWithWhatToDo() throws Exception {
        String text =
                StatusText.of(
                        json(
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
                        "    do: pcs property set stonith-enabled=true",
                        "  recovery   not automatic; see above");
        assertThat(
                        StatusText.of(
                                json(
                                        """
                                        {'sentence':'etcd serves.','recovery':{'automatic':true},
                                         'prediction':{'millis':3900,'objectiveMillis':10000},
                                         'profile':'lan'}
                                        """)))
                .contains("  recovery   about 3.9 s if the peer crashed now (profile lan)\n");
        // The peer is gone: there is nothing that could crash.
        assertThat(StatusText.of(json("{'sentence':'x','recovery':{'automatic':true}}")))
                .doesNotContain("  recovery ");
    }

    @Test
    void aRunbookIsNamedWhereAPersonHasToAct() throws Exception {
        String pending =
                """
                {'sentence':'x','pending':{'sentence':'y','sinceMillis':71000,%s
                 'runbook':'/doc/page.md'}}
                """;

        assertThat(StatusText.of(json(pending.formatted("'limitMillis':70000,'overdue':true,"))))
                .contains("  runbook: /doc/page.md\n");
        assertThat(StatusText.of(json(pending.formatted("'limitMillis':99000,'overdue':false,"))))
                .doesNotContain("runbook");
        // A refusal has no time in which it would end.
        assertThat(StatusText.of(json(pending.formatted("'overdue':false,"))))
                .contains("  runbook: /doc/page.md\n");
        assertThat(
                        StatusText.of(
                                json(
                                        """
                                        {'sentence':'x','recovery':{'impediments':[
                                         {'sentence':'z','remedy':'mend it','sinceMillis':1,
                                          'runbook':'/doc/page.md'}]}}
                                        """)))
                .contains("    do: mend it\n    runbook: /doc/page.md\n");
    }

    @Test
    void onlyAPairThatRecoversByItselfIsWell() throws Exception {
        String status = "{'well':%s,'health':'%s','recovery':{'automatic':%s}}";

        assertThat(StatusCommand.isWell(json(status.formatted(true, "REDUNDANT", true)))).isTrue();
        assertThat(StatusCommand.isWell(json(status.formatted(false, "REDUNDANT", true))))
                .isFalse();
        assertThat(StatusCommand.isWell(json(status.formatted(true, "ALONE", true)))).isFalse();
        assertThat(StatusCommand.isWell(json(status.formatted(true, "REDUNDANT", false))))
                .isFalse();
        assertThat(StatusCommand.isWell(json("{'health':'REDUNDANT'}"))).isFalse();
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
                .containsExactly(
                        "2026-01-02 03:04:05.678  told Kubernetes: node-1 is out of service",
                        "1970-01-01 00:00:00  of a newer agent");
    }

    @Test
    void aChoiceBetweenHistoriesSaysWhatIsLost() throws Exception {
        String choice =
                """
                {'incident':'4f1c02aa','keeps':{'node':'node-0','epoch':2,'index':12},
                 'setsAside':{'node':'node-1','epoch':3,'index':9},'sharedUpTo':%d}
                """;

        assertThat(KeepHistoryCommand.text(json(choice.formatted(6))))
                .contains("will keep:       the history of node-0: epoch 2, index 12")
                .contains("will set aside:  that of node-1: epoch 3, index 9")
                .contains("will be lost:    what node-1 wrote after index 6")
                .contains("4f1c02aa");
        assertThat(KeepHistoryCommand.text(json(choice.formatted(0))))
                .contains("every write that only node-1 holds");
    }
}
