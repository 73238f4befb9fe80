package dev.tandem.drill.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * What etcd answers over its JSON gateway to a client that goes on watching: one object a line, the
 * last one possibly cut off.
 */
public record WatchAnswer(String text) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Whether a client that has seen this revision is told that it missed something: its watch is
     * ended, and what it knows lies before the point up to which history is gone.
     */
    public boolean tellsOfLossAfter(long seen) {
        return text.lines()
                .anyMatch(line -> {
                    JsonNode result = result(line);
                    return result.path("canceled").asBoolean()
                            && result.path("compact_revision").asLong() > seen;
                });
    }

    private static JsonNode result(String line) {
        try {
            return JSON.readTree(line).path("result");
        } catch (JsonProcessingException e) {
            return JSON.missingNode();
        }
    }
}
