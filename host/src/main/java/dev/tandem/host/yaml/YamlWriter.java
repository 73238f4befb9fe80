package dev.tandem.host.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Writes plain maps, lists, text, numbers and truth values as YAML, always the same way. Text is
 * left without quotes only where every reader, of YAML 1.1 or 1.2, takes it for that text.
 */
public final class YamlWriter {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z/][A-Za-z0-9 ._/-]*");
    private static final Pattern TYPED =
            Pattern.compile("(?i)true|false|yes|no|on|off|y|n|null|none|inf|nan");

    private final StringBuilder out = new StringBuilder();

    private YamlWriter() {}

    public static String write(Map<String, ?> map) {
        YamlWriter writer = new YamlWriter();
        if (map.isEmpty()) {
            return "{}\n";
        }
        writer.mapping(map, 0);
        return writer.out.toString();
    }

    /** An object of JSON, with its fields in their order. */
    public static String write(JsonNode object) {
        return write(fields(object));
    }

    private static Map<String, Object> fields(JsonNode object) {
        Map<String, Object> fields = new LinkedHashMap<>();
        object.properties().forEach(entry -> fields.put(entry.getKey(), plain(entry.getValue())));
        return fields;
    }

    private static Object plain(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> fields(node);
            case ARRAY -> {
                List<Object> list = new ArrayList<>();
                node.forEach(item -> list.add(plain(item)));
                yield list;
            }
            case BOOLEAN -> node.booleanValue();
            case NUMBER -> node.numberValue();
            case NULL, MISSING -> Optional.empty();
            case STRING, BINARY, POJO -> node.asText();
        };
    }

    private void mapping(Map<?, ?> map, int indent) {
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.repeat(' ', indent);
            entry(entry, indent);
        }
    }

    private void entry(Map.Entry<?, ?> entry, int indent) {
        out.append(scalar(String.valueOf(entry.getKey()))).append(':');
        value(entry.getValue(), indent);
    }

    /** After a key: on the same line, or indented below it. */
    private void value(Object value, int indent) {
        switch (value) {
            case Map<?, ?> map when !map.isEmpty() -> {
                out.append('\n');
                mapping(map, indent + 2);
            }
            case List<?> list when !list.isEmpty() -> {
                out.append('\n');
                list(list, indent);
            }
            case String text when isBlock(text) -> block(text, indent + 2);
            default -> out.append(' ').append(inline(value)).append('\n');
        }
    }

    /** Dashes stand below the first letter of the key, as Kubernetes' own tools write them. */
    private void list(List<?> list, int indent) {
        for (Object item : list) {
            out.repeat(' ', indent).append('-');
            switch (item) {
                case Map<?, ?> map when !map.isEmpty() -> {
                    boolean first = true;
                    for (Map.Entry<?, ?> entry : map.entrySet()) {
                        out.repeat(' ', first ? 1 : indent + 2);
                        first = false;
                        entry(entry, indent + 2);
                    }
                }
                case List<?> inner when !inner.isEmpty() -> {
                    out.append('\n');
                    list(inner, indent + 2);
                }
                case String text when isBlock(text) -> block(text, indent + 2);
                default -> out.append(' ').append(inline(item)).append('\n');
            }
        }
    }

    private static String inline(Object value) {
        return switch (value) {
            case Map<?, ?> _ -> "{}";
            case List<?> _ -> "[]";
            case Optional<?> _ -> "null";
            case Boolean flag -> flag.toString();
            case Number number -> number.toString();
            default -> scalar(value.toString());
        };
    }

    /** Text in the plainest form that no reader mistakes. */
    public static String scalar(String text) {
        boolean plain =
                PLAIN.matcher(text).matches()
                        && !TYPED.matcher(text).matches()
                        && !text.endsWith(" ");
        return plain ? text : quoted(text);
    }

    /** Several lines of ordinary characters, which read best as they are. */
    private static boolean isBlock(String text) {
        return text.indexOf('\n') >= 0
                && text.endsWith("\n")
                && !text.endsWith("\n\n")
                && !text.startsWith(" ")
                && !text.startsWith("\n")
                && text.chars().allMatch(c -> c == '\n' || (c >= ' ' && c < 127))
                && !text.contains(" \n");
    }

    private void block(String text, int indent) {
        out.append(" |\n");
        text.lines()
                .forEach(line -> {
                    if (!line.isEmpty()) {
                        out.repeat(' ', indent).append(line);
                    }
                    out.append('\n');
                });
    }

    /** As JSON, which is YAML too. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars()
                .forEach(c -> {
                    switch (c) {
                        case '"' -> quoted.append("\\\"");
                        case '\\' -> quoted.append("\\\\");
                        case '\n' -> quoted.append("\\n");
                        case '\t' -> quoted.append("\\t");
                        case '\r' -> quoted.append("\\r");
                        default -> {
                            boolean shown = c >= ' ' && c < 127;
                            quoted.append(
                                    shown ? String.valueOf((char) c) : "\\u%04x".formatted(c));
                        }
                    }
                });
        return quoted.append('"').toString();
    }
}
