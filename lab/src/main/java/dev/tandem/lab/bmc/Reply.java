package dev.tandem.lab.bmc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** An answer before it is written: status, headers besides the usual ones, and a body. */
record Reply(int status, Map<String, String> headers, Optional<ObjectNode> body) {
    /** The registry whose message identifiers are used; the words are our own. */
    private static final String REGISTRY = "Base.1.18.";

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

    static Reply notModified() {
        return new Reply(304, Map.of(), Optional.empty());
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
                "The account has not the privilege that this needs.",
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

    private static List<JsonNode> texts(String... texts) {
        List<JsonNode> nodes = new ArrayList<>();
        for (String text : texts) {
            nodes.add(JsonNodeFactory.instance.textNode(text));
        }
        return nodes;
    }
}
