package dev.tandem.agent.peer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.core.peer.PeerMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/**
 * What a node leaves for its peer in an attribute of the cluster: a question of its own and the
 * answer to the peer's last one. A letter of another version is read as far as it is understood;
 * see {@link PeerMessages}.
 *
 * @param stamp rises with each letter of a node
 */
record Letter(long stamp, Optional<Question> question, Optional<Answer> answer) {
    /** Of the letters that this program writes. */
    static final int VERSION = 1;

    private static final String STAMP = "stamp";
    private static final String NUMBER = "number";
    private static final String WORD = "word";
    private static final String QUESTION = "question";
    private static final String ANSWER = "answer";

    /**
     * @param stamp of the peer's letter that was last read
     */
    record Question(long number, long stamp, PeerMessages.Received said) {}

    /**
     * @param number of the question
     */
    record Answer(long number, PeerMessages.Received said) {}

    static Question asking(long number, long stamp, PeerMessage message) {
        return new Question(number, stamp, PeerMessages.Received.of(message));
    }

    static Answer answering(long number, PeerMessage message) {
        return new Answer(number, PeerMessages.Received.of(message));
    }

    /** As it stands in the attribute, whose value is no place for quotes. */
    String encoded() {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(json().toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Lists of one or none: agents without a version expect lists. */
    private ObjectNode json() {
        ObjectNode letter =
                AgentJson.MAPPER.createObjectNode().put("version", VERSION).put(STAMP, stamp);
        ArrayNode questions = letter.putArray(QUESTION);
        question.ifPresent(mine ->
                questions
                        .addObject()
                        .put(NUMBER, mine.number())
                        .put(STAMP, mine.stamp())
                        .set(WORD, PeerMessages.json(mine.said().message())));
        ArrayNode answers = letter.putArray(ANSWER);
        answer.ifPresent(told ->
                answers.addObject()
                        .put(NUMBER, told.number())
                        .set(WORD, PeerMessages.json(told.said().message())));
        return letter;
    }

    /** Empty where it is no letter of an agent. */
    static Optional<Letter> parse(String text) {
        try {
            JsonNode letter = AgentJson.MAPPER.readTree(Base64.getUrlDecoder().decode(text));
            return letter.path(STAMP).isIntegralNumber()
                    ? Optional.of(
                            new Letter(
                                    letter.path(STAMP).asLong(),
                                    readQuestion(letter.path(QUESTION).path(0)),
                                    readAnswer(letter.path(ANSWER).path(0))))
                    : Optional.empty();
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new IllegalStateException("bytes in memory could not be read", e);
        }
    }

    private static Optional<Question> readQuestion(JsonNode json) {
        return json.path(NUMBER).isIntegralNumber() && json.path(STAMP).isIntegralNumber()
                ? PeerMessages.read(json.path(WORD))
                        .map(said ->
                                new Question(
                                        json.path(NUMBER).asLong(),
                                        json.path(STAMP).asLong(),
                                        said))
                : Optional.empty();
    }

    private static Optional<Answer> readAnswer(JsonNode json) {
        return json.path(NUMBER).isIntegralNumber()
                ? PeerMessages.read(json.path(WORD))
                        .map(said -> new Answer(json.path(NUMBER).asLong(), said))
                : Optional.empty();
    }
}
