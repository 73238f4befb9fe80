package dev.tandem.agentapi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.peer.PeerMessage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The two nodes of a pair are upgraded one after the other. */
class PeerMessageTest {
    static List<String> golden() throws IOException {
        try (InputStream in = PeerMessageTest.class.getResourceAsStream("/golden/1/peer.jsonl")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("golden")
    void aMessageOfTheFirstFormIsReadAndWrittenTheSame(String text) throws IOException {
        PeerMessage message = AgentJson.MAPPER.readValue(text, PeerMessage.class);

        assertThat(AgentJson.line(message)).isEqualTo(text);
    }

    @ParameterizedTest
    @MethodSource("golden")
    void whatIsNewInAMessageIsIgnored(String text) throws IOException {
        String newer = text.substring(0, text.length() - 1) + ",\"mood\":\"good\"}";

        assertThat(AgentJson.MAPPER.readValue(newer, PeerMessage.class))
                .isEqualTo(AgentJson.MAPPER.readValue(text, PeerMessage.class));
    }
}
