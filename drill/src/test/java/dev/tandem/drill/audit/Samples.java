package dev.tandem.drill.audit;

import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.PeerChannelKind;
import dev.tandem.lab.spec.LabStatus;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a node said at some moment, made up. */
final class Samples {
    private Samples() {}

    /**
     * @param state a health, OFF or FROZEN; anything else is a node whose agent does not answer
     */
    static HealthWatch.Sample of(
            long nanos, String node, String state, boolean runs, long process) {
        LabStatus.State power =
                Arrays.stream(LabStatus.State.values())
                        .filter(each -> each.name().equals(state))
                        .findFirst()
                        .orElse(LabStatus.State.UP);
        Optional<AgentStatus> said =
                Arrays.stream(NodeHealth.values())
                        .filter(each -> each.name().equals(state))
                        .findFirst()
                        .map(health -> status(node, health, true, 3900));
        return new HealthWatch.Sample(
                nanos, node, power, runs, process, true, said, Optional.empty());
    }

    static AgentStatus status(
            String node, NodeHealth health, boolean automatic, long predictedMillis) {
        return status(node, health, automatic, predictedMillis, null);
    }

    static AgentStatus status(
            String node,
            NodeHealth health,
            boolean automatic,
            long predictedMillis,
            @Nullable Long hungMillis) {
        return new AgentStatus(
                AgentMessages.VERSION,
                "all is well",
                0,
                node,
                "node-1",
                health,
                health == NodeHealth.REDUNDANT && automatic,
                List.of(),
                List.of(),
                List.of(),
                new AgentStatus.PacemakerLine(true, true, true, false),
                PeerChannelKind.HTTPS,
                new AgentStatus.Recovery(automatic, List.of(), List.of(), null),
                new AgentStatus.Prediction(
                        predictedMillis, hungMillis, null, false, Map.of(), 10_000),
                null,
                null,
                null,
                "4f1c02aa",
                "lan",
                new AgentStatus.AgentLine(1));
    }
}
