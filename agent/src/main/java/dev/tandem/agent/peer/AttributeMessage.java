package dev.tandem.agent.peer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agentapi.AgentJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * What a node leaves for its peer in an attribute of the cluster: a question of its own and the
 * answer to the peer's last one. A message of another version is read as far as it is understood;
 * see {@link PeerMessages}.
 *
 * @param stamp rises with each message of a node
 */
record AttributeMessage(long stamp, Optional<Question> question, Optional<Answer> answer) {
    /** Of the messages that this program writes. */
    static final int VERSION = 1;

    private static final String STAMP = "stamp";
    private static final String NUMBER = "number";

    /** The peer may be of an older release, so the name stays. */
    private static final String MESSAGE = "word";

    private static final String QUESTION = "question";
    private static final String ANSWER = "answer";

    /**
     * @param stamp of the peer's message that was last read
     */
    record Question(long number, long stamp, PeerMessages.Received said) {}

    /**
     * @param number of the question
     */
    record Answer(long number, PeerMessages.Received said) {}

    static Question asking(long number, long stamp, PeerMessages.Envelope sent) {
        return new Question(number, stamp, PeerMessages.Received.of(sent));
    }

    static Answer answering(long number, PeerMessages.Envelope sent) {
        return new Answer(number, PeerMessages.Received.of(sent));
    }

    /** As it is signed and packed by {@link SignedAttribute}. */
    byte[] bytes() {
        return json().toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Lists of one or none: agents without a version expect lists. */
    private ObjectNode json() {
        ObjectNode message =
                AgentJson.MAPPER.createObjectNode().put("version", VERSION).put(STAMP, stamp);
        ArrayNode questions = message.putArray(QUESTION);
        question.ifPresent(mine ->
                questions
                        .addObject()
                        .put(NUMBER, mine.number())
                        .put(STAMP, mine.stamp())
                        .set(MESSAGE, PeerMessages.json(mine.said().envelope())));
        ArrayNode answers = message.putArray(ANSWER);
        answer.ifPresent(told ->
                answers.addObject()
                        .put(NUMBER, told.number())
                        .set(MESSAGE, PeerMessages.json(told.said().envelope())));
        return message;
    }

    /** Empty where no agent has written it. */
    static Optional<AttributeMessage> parse(byte[] text) {
        try {
            JsonNode message = AgentJson.MAPPER.readTree(text);
            return message.path(STAMP).isIntegralNumber()
                    ? Optional.of(
                            new AttributeMessage(
                                    message.path(STAMP).asLong(),
                                    readQuestion(message.path(QUESTION).path(0)),
                                    readAnswer(message.path(ANSWER).path(0))))
                    : Optional.empty();
        } catch (JsonProcessingException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new IllegalStateException("bytes in memory could not be read", e);
        }
    }

    private static Optional<Question> readQuestion(JsonNode json) {
        return json.path(NUMBER).isIntegralNumber() && json.path(STAMP).isIntegralNumber()
                ? PeerMessages.read(json.path(MESSAGE))
                        .map(said ->
                                new Question(
                                        json.path(NUMBER).asLong(),
                                        json.path(STAMP).asLong(),
                                        said))
                : Optional.empty();
    }

    private static Optional<Answer> readAnswer(JsonNode json) {
        return json.path(NUMBER).isIntegralNumber()
                ? PeerMessages.read(json.path(MESSAGE))
                        .map(said -> new Answer(json.path(NUMBER).asLong(), said))
                : Optional.empty();
    }
}
