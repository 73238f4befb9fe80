package dev.tandem.agent.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.AgentJson;
import dev.tandem.core.peer.PeerMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AttributeMessageTest {
    static List<String> golden() {
        return Golden.lines(1, "attribute.jsonl");
    }

    private static byte[] encoded(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }

    private static AttributeMessage read(String json) {
        return AttributeMessage.parse(encoded(json)).orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("golden")
    void aMessageIsReadAndWrittenTheSame(String json) {
        assertThat(read(json).bytes()).isEqualTo(encoded(json));
    }

    @Test
    void aMessageFromBeforeTheVersionIsRead() {
        List<String> older = Golden.lines(0, "attribute.jsonl");
        for (int i = 0; i < older.size(); i++) {
            assertThat(read(older.get(i))).isEqualTo(read(golden().get(i)));
        }
    }

    /** As agents without a version read it. */
    private record OlderMessage(
            long stamp, List<OlderQuestion> question, List<OlderAnswer> answer) {}

    private record OlderQuestion(long number, long stamp, PeerMessage word) {}

    private record OlderAnswer(long number, PeerMessage word) {}

    @ParameterizedTest
    @MethodSource("golden")
    void anOlderAgentReadsWhatThisOneWrites(String json) throws IOException {
        OlderMessage older = AgentJson.MAPPER.readValue(json, OlderMessage.class);
        AttributeMessage message = read(json);

        assertThat(older.stamp()).isEqualTo(message.stamp());
        assertThat(older.question().stream().map(OlderQuestion::word))
                .isEqualTo(
                        message.question().stream().map(asked -> asked.said().message()).toList());
        assertThat(older.answer().stream().map(OlderAnswer::word))
                .isEqualTo(message.answer().stream().map(told -> told.said().message()).toList());
    }

    @ParameterizedTest
    @MethodSource("golden")
    void aNewerMessageIsReadAsFarAsItIsUnderstood(String json) {
        String newer =
                json.replace("\"version\":1", "\"version\":2,\"mood\":\"good\"")
                        .replace("\"number\"", "\"colour\":\"blue\",\"number\"");

        assertThat(read(newer).question().map(asked -> asked.said().message()))
                .isEqualTo(read(json).question().map(asked -> asked.said().message()));
        assertThat(read(newer).answer().map(told -> told.said().message()))
                .isEqualTo(read(json).answer().map(told -> told.said().message()));
    }

    /** A question without its stamp could be an old one; without its number, anybody's. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'stamp':4}",
                "{'stamp':4,'question':[{'number':1,'word':{'is':'Hello','boot':'b'}}]}",
                "{'stamp':4,'question':[{'stamp':1,'word':{'is':'Hello','boot':'b'}}]}",
                "{'stamp':4,'question':[{'number':'1','stamp':1,'word':{'is':'Hello','boot':'b'}}]}",
                "{'stamp':4,'question':[{'number':1,'stamp':1}],'answer':[{'number':1}]}",
                "{'stamp':4,'question':'none','answer':[{'word':{'is':'Hello','boot':'b'}}]}"
            })
    void whatIsMissingInAMessageWasNotSaid(String json) {
        AttributeMessage message = read(json.replace('\'', '"'));

        assertThat(message.stamp()).isEqualTo(4);
        assertThat(message.question()).isEmpty();
        assertThat(message.answer()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]", "{\"stamp\":\"4\"}", "no JSON"})
    void whatNoAgentHasWrittenIsNotRead(String json) {
        assertThat(AttributeMessage.parse(encoded(json))).isEmpty();
        assertThat(AttributeMessage.parse(encoded("%%" + json))).isEmpty();
    }
}
