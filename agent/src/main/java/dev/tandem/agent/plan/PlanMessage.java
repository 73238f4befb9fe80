package dev.tandem.agent.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.plan.PlanUse.NodeUse;
import dev.tandem.core.Failure;
import java.util.Optional;
import java.util.function.Function;

/**
 * The peer's agent is told by which plan the pair runs from now on.
 *
 * @param plan its text, as a node keeps it; there are no secrets in it
 */
public record PlanMessage(int version, String plan, String person, boolean dryRun) {
    private static final int VERSION = 1;

    PlanMessage(String plan, String person, boolean dryRun) {
        this(VERSION, plan, person, dryRun);
    }

    public String text() {
        return AgentJson.line(this);
    }

    /** Empty where the peer answers something that is not understood, as another release may. */
    public static Optional<NodeUse> reply(String text) {
        try {
            return Optional.of(AgentMessages.read(text, NodeUse.class));
        } catch (Failure e) {
            return Optional.empty();
        }
    }

    /** What the peer is answered. */
    public static String answer(String text, String self, Function<PlanMessage, NodeUse> answers) {
        NodeUse reply;
        try {
            PlanMessage message = AgentJson.MAPPER.readValue(text, PlanMessage.class);
            reply =
                    message.version() == VERSION
                            ? answers.apply(message)
                            : PlanChanges.anotherRelease(self);
        } catch (JsonProcessingException e) {
            reply = PlanChanges.anotherRelease(self);
        }
        return AgentJson.line(reply);
    }
}
