package dev.tandem.agent.bmc;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.tandem.agent.bmc.BmcChangeMessage.Reply;
import dev.tandem.agent.bmc.BmcChangeMessage.State;
import dev.tandem.agentapi.AgentJson;
import java.util.Optional;
import java.util.function.Function;

/** The JSON form of what the agents say to each other of the settings of BMCs. */
public record SettingsMessages(Function<BmcChangeMessage, Reply> answers) {

    public static String text(BmcChangeMessage message) {
        return AgentJson.line(message);
    }

    /** Empty where the peer answers something that is not understood, as another release may. */
    public static Optional<Reply> reply(String text) {
        try {
            return Optional.of(AgentJson.MAPPER.readValue(text, Reply.class))
                    .filter(reply -> reply.version() == BmcChangeMessage.VERSION);
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    /** What the peer is answered. */
    public String answer(String text) {
        Reply reply;
        try {
            BmcChangeMessage message = AgentJson.MAPPER.readValue(text, BmcChangeMessage.class);
            reply =
                    message.version() == BmcChangeMessage.VERSION
                            ? answers.apply(message)
                            : notUnderstood();
        } catch (JsonProcessingException | IllegalArgumentException e) {
            // Without its message, which may repeat a password.
            reply = notUnderstood();
        }
        return AgentJson.line(reply);
    }

    private static Reply notUnderstood() {
        return new Reply(
                State.UNFIT,
                0,
                "the change was not understood",
                "the two nodes run different versions of Tandem",
                "install the same version on both nodes: apt-get install ./tandem_*_all.deb");
    }
}
