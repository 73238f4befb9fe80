package dev.tandem.redfishsim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** An answer before it is written: status, headers besides the usual ones, and a body. */
record Reply(int status, Map<String, String> headers, Optional<ObjectNode> body) {
    /** The registry whose message identifiers are used; the words are our own. */
    private static final String REGISTRY = "Base.1.18.";

    private static final ObjectMapper JSON = new ObjectMapper();

    Reply {
        headers = Map.copyOf(headers);
    }

    static Reply ok(ObjectNode body) {
        return new Reply(200, Map.of(), Optional.of(body));
    }

    static Reply created(String location, ObjectNode body) {
        return new Reply(201, Map.of("Location", location), Optional.of(body));
    }

    static Reply noContent() {
        return new Reply(204, Map.of(), Optional.empty());
    }

    /** The answer of a resource that can only be read. */
    static Reply get(Request request, ObjectNode body) {
        return switch (request.method()) {
            case "GET", "HEAD" -> ok(body).with("Allow", "GET, HEAD");
            default -> methodNotAllowed(request.method(), "GET, HEAD");
        };
    }

    Reply with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new Reply(status, more, body);
    }

    /** A Redfish error: one message with its identifier, its arguments and what to do. */
    static Reply error(
            int status, String messageId, String message, String resolution, String... arguments) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        ObjectNode entry = json.objectNode();
        entry.put("@odata.type", "#Message.v1_2_1.Message");
        entry.put("MessageId", REGISTRY + messageId);
        entry.put("Message", message);
        entry.set("MessageArgs", json.arrayNode().addAll(texts(arguments)));
        entry.put("MessageSeverity", status >= 500 ? "Critical" : "Warning");
        entry.put("Resolution", resolution);
        ObjectNode error = json.objectNode();
        error.put("code", REGISTRY + messageId);
        error.put("message", message);
        error.set("@Message.ExtendedInfo", json.arrayNode().add(entry));
        ObjectNode body = json.objectNode();
        body.set("error", error);
        return new Reply(status, Map.of(), Optional.of(body));
    }

    static Reply malformed() {
        return error(400, "MalformedJSON", "The body is not a JSON object.", "Send a JSON object.");
    }

    static Reply unauthorized() {
        return error(
                        401,
                        "NoValidSession",
                        "The request carries no valid credentials.",
                        "Log in with a user name and a password that are right.")
                .with("WWW-Authenticate", "Basic realm=\"Tandem virtual BMC\"");
    }

    static Reply forbidden() {
        return error(
                403,
                "InsufficientPrivilege",
                "The account lacks the privilege that this needs.",
                "Use an account with a higher role.");
    }

    static Reply notFound(String path) {
        return error(
                404,
                "ResourceMissingAtURI",
                "There is no resource at " + path + ".",
                "Begin at /redfish/v1 and follow the links.",
                path);
    }

    static Reply methodNotAllowed(String method, String allowed) {
        return error(
                        405,
                        "OperationNotAllowed",
                        method + " cannot be applied to this resource.",
                        "Use one of: " + allowed + ".")
                .with("Allow", allowed);
    }

    /** The body as it is sent; nothing where there is none. */
    byte[] bytes() {
        try {
            return body.isEmpty() ? new byte[0] : JSON.writeValueAsBytes(body.get());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts is always JSON", e);
        }
    }

    /** Changes with the body. */
    String etag() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes());
            return "W/\"" + HexFormat.of().formatHex(digest, 0, 8) + "\"";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static List<JsonNode> texts(String... texts) {
        List<JsonNode> nodes = new ArrayList<>();
        for (String text : texts) {
            nodes.add(JsonNodeFactory.instance.textNode(text));
        }
        return nodes;
    }
}
