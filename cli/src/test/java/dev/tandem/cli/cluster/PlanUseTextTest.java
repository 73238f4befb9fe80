package dev.tandem.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.plan.PlanUse.Changed;
import dev.tandem.agentapi.plan.PlanUse.Effect;
import dev.tandem.agentapi.plan.PlanUse.NodeUse;
import dev.tandem.agentapi.plan.PlanUse.Outcome;
import dev.tandem.agentapi.plan.PlanUse.Setting;
import java.util.List;
import org.junit.jupiter.api.Test;

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
                          node-1: not asked: its agent does not answer; start it
                        """);
        assertThat(PlanUseText.of(List.of())).isEmpty();
    }

    @Test
    void aNodeThatIsLeftBehindNeedsAPerson() {
        NodeUse silent = node("node-1", Outcome.SILENT);

        assertThat(PlanUseText.needsAPerson(List.of(node("node-0", Outcome.TAKEN, TIMING), silent)))
                .isTrue();
        assertThat(PlanUseText.needsAPerson(List.of(node("node-0", Outcome.SAME), silent)))
                .as("where a pair is made")
                .isFalse();
        assertThat(PlanUseText.needsAPerson(List.of(node("node-0", Outcome.NOT_TAKEN)))).isTrue();
        assertThat(
                        PlanUseText.needsAPerson(
                                List.of(
                                        node("node-0", Outcome.TAKEN, TIMING),
                                        node("node-1", Outcome.TAKEN, TIMING))))
                .isFalse();
    }
}
