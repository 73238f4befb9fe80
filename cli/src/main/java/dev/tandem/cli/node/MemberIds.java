package dev.tandem.cli.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The ids of etcd's members as etcd itself and the status write them. The journal has them as
 * numbers, of which many programs round the last digits.
 */
final class MemberIds {
    private static final String FIELD = "memberId";

    private MemberIds() {}

    /** The same with every number that is a member's id as text. */
    static JsonNode inHex(JsonNode node) {
        return switch (node) {
            case ObjectNode fields -> {
                ObjectNode copy = JsonNodeFactory.instance.objectNode();
                fields.properties()
                        .forEach(field ->
                                copy.set(
                                        field.getKey(),
                                        field.getKey().equals(FIELD)
                                                        && field.getValue().isIntegralNumber()
                                                ? JsonNodeFactory.instance.textNode(
                                                        Long.toHexString(field.getValue().asLong()))
                                                : inHex(field.getValue())));
                yield copy;
            }
            case ArrayNode items -> {
                ArrayNode copy = JsonNodeFactory.instance.arrayNode();
                items.forEach(item -> copy.add(inHex(item)));
                yield copy;
            }
            default -> node;
        };
    }
}
