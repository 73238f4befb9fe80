package dev.tandem.redfishsim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a client asks.
 *
 * @param parts those of the path, without empty ones
 * @param from the address of the client
 */
record Request(
        String method, String path, List<String> parts, Headers headers, String body, String from) {
    /** Nothing a client sends here is longer than a few hundred bytes. */
    private static final int BODY_LIMIT = 64 * 1024;

    private static final ObjectMapper JSON = new ObjectMapper();

    Request {
        parts = List.copyOf(parts);
    }

    static Request read(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(BODY_LIMIT + 1);
        String path = exchange.getRequestURI().getPath();
        return new Request(
                exchange.getRequestMethod(),
                path,
                Arrays.stream(path.split("/", -1)).filter(part -> !part.isEmpty()).toList(),
                exchange.getRequestHeaders(),
                new String(body, StandardCharsets.UTF_8),
                exchange.getRemoteAddress().getAddress().getHostAddress());
    }

    /** Whether there is more of it than was read. */
    boolean tooLong() {
        return body.length() > BODY_LIMIT;
    }

    /** The body as an object; empty where it is none. */
    Optional<JsonNode> json() {
        try {
            JsonNode node = JSON.readTree(body);
            return node != null && node.isObject() ? Optional.of(node) : Optional.empty();
        } catch (JsonProcessingException e) {
            // The client is told that it is not JSON; there is nobody else to tell.
            return Optional.empty();
        }
    }

    /** Who asks, for the record. */
    String by(BmcAccount account) {
        return account.user() + " from " + from;
    }
}
