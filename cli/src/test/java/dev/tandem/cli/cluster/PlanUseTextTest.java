package dev.tandem.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.agentapi.plan.PlanUse;
import dev.tandem.agentapi.plan.PlanUse.Changed;
import dev.tandem.agentapi.plan.PlanUse.Effect;
import dev.tandem.agentapi.plan.PlanUse.NodeUse;
import dev.tandem.agentapi.plan.PlanUse.Outcome;
import dev.tandem.agentapi.plan.PlanUse.Setting;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanUseTextTest {
    private static final Changed TIMING = new Changed(Setting.TIMING, null, Effect.NOW, "", "");
    private static final Changed BMC = new Changed(Setting.BMC, "node-1", Effect.NOW, "", "");
    private static final Changed QUOTA =
            new Changed(
                    Setting.ETCD_QUOTA,
                    null,
                    Effect.AFTER_A_RESTART,
                    "etcd reads its quota when it starts",
                    "restart it");

    private static NodeUse node(String name, Outcome outcome, Changed... settings) {
        return new NodeUse(name, outcome, List.of(settings), "", "");
    }

    @Test
    void saysForEachNodeWhatCountsWhen() {
        assertThat(
                        PlanUseText.of(
                                List.of(
                                        node("node-0", Outcome.TAKEN, TIMING, BMC, QUOTA),
                                        new NodeUse(
                                                "node-1",
                                                Outcome.SILENT,
                                                List.of(),
                                                "its agent does not answer",
                                                "start it"))))
                .isEqualTo(
                        """
                        Agents:
                          node-0: in use now: timing, bmc of node-1
                          node-0: etcd quota: after a restart: etcd reads its quota when it starts; restart it
                          node-1: not reached: its agent does not answer; start it
                        """);
        assertThat(PlanUseText.of(List.of())).isEmpty();
    }

    @Test
    void aNodeThatIsLeftBehindNeedsAPerson() {
        NodeUse silent = node("node-1", Outcome.SILENT);

        assertThat(PlanUseText.needsAPerson(List.of(node("node-0", Outcome.TAKEN, TIMING), silent)))
                .isTrue();
        assertThat(PlanUseText.needsAPerson(List.of(node("node-0", Outcome.SAME), silent)))
                .as("it is in the cluster, and was left behind before")
                .isTrue();
        NodeUse away = node("node-1", Outcome.AWAY);
        assertThat(PlanUseText.needsAPerson(List.of(node("node-0", Outcome.SAME), away)))
                .as("where a pair is made")
                .isFalse();
        assertThat(PlanUseText.needsAPerson(List.of(node("node-0", Outcome.TAKEN, TIMING), away)))
                .as("it comes back with its old plan")
                .isTrue();
        for (Effect effect : List.of(Effect.BY_HAND, Effect.FAILED)) {
            assertThat(
                            PlanUseText.needsAPerson(
                                    List.of(
                                            node("node-0", Outcome.TAKEN, BMC),
                                            node(
                                                    "node-1",
                                                    Outcome.TAKEN,
                                                    new Changed(
                                                            Setting.BMC,
                                                            "node-1",
                                                            effect,
                                                            "",
                                                            "")))))
                    .as("%s", effect)
                    .isTrue();
        }
        assertThat(PlanUseText.needsAPerson(List.of(node("node-0", Outcome.NOT_TAKEN)))).isTrue();
        assertThat(
                        PlanUseText.needsAPerson(
                                List.of(
                                        node("node-0", Outcome.TAKEN, TIMING, QUOTA),
                                        node("node-1", Outcome.TAKEN, TIMING, QUOTA))))
                .isFalse();
    }

    private static String answer(boolean dryRun, NodeUse... agents) {
        return new ClusterApplyCommand.Applied(
                        "site-17", false, dryRun, List.of(), List.of(), List.of(agents))
                .asText();
    }

    @Test
    void aPairIsAsPlannedOnlyIfAllAgentsRunByThePlan() {
        assertThat(answer(false, node("node-0", Outcome.SAME), node("node-1", Outcome.SAME)))
                .startsWith("The pair site-17 is as planned; nothing was changed.");
        assertThat(answer(false, node("node-0", Outcome.TAKEN, TIMING)))
                .startsWith("The pair site-17 is as planned now.");
        for (Outcome outcome :
                List.of(Outcome.NOT_TAKEN, Outcome.SILENT, Outcome.AWAY, Outcome.UNKNOWN)) {
            assertThat(answer(false, node("node-0", Outcome.SAME), node("node-1", outcome)))
                    .as("%s", outcome)
                    .startsWith("Not every agent of site-17 uses this plan;");
            assertThat(
                            answer(
                                    false,
                                    node("node-0", Outcome.TAKEN, TIMING),
                                    node("node-1", outcome)))
                    .as("%s", outcome)
                    .startsWith("Not all of the plan is in use on both nodes of site-17 yet");
        }
    }

    /** Its agent is down; before the pair is made that is no finding. */
    @Test
    void aPairThatIsMadeAndHasNoAgentHereNeedsAPerson(@TempDir Path directory) {
        AgentClient nobody = new AgentClient(directory.resolve("agent.sock"));
        PlanUse.Request request =
                new PlanUse.Request(AgentMessages.VERSION, "a plan", "anna", true);

        assertThat(ClusterApplyCommand.agents(nobody, "node-0", request, false).nodes()).isEmpty();
        List<NodeUse> agents = ClusterApplyCommand.agents(nobody, "node-0", request, true).nodes();
        assertThat(agents).extracting(NodeUse::outcome).containsOnly(Outcome.NOT_TAKEN);
        assertThat(PlanUseText.needsAPerson(agents)).isTrue();
    }
}
