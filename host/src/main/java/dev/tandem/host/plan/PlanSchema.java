package dev.tandem.host.plan;

import dev.tandem.host.plan.PlanField.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The plan's fields as JSON Schema, for editors that complete and underline. JSON Schema cannot
 * compare times or fields with each other; the reader does.
 */
public final class PlanSchema {
    private PlanSchema() {}

    /** Plain maps, ready for any JSON writer. */
    public static Map<String, Object> json() {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", "Plan of a pair");
        schema.putAll(of(PlanFields.PLAN));
        Map<String, Object> withApi = new LinkedHashMap<>();
        withApi.put("required", List.of("kubelet"));
        withApi.put("properties", Map.of("kubelet", Map.of("const", true)));
        schema.put("dependentSchemas", Map.of("api", withApi));
        return schema;
    }

    private static Map<String, Object> of(Kind kind) {
        Map<String, Object> json = new LinkedHashMap<>();
        switch (kind) {
            case Kind.Text(Pattern pattern, _) -> {
                // A name or serial of digits only is a number to YAML, and text to the reader.
                json.put(
                        "type",
                        pattern.matcher("17").matches() ? List.of("string", "integer") : "string");
                json.put("pattern", "^(?:" + pattern.pattern() + ")$");
            }
            case Kind.Flag() -> json.put("type", "boolean");
            case Kind.Whole(long least, long most) -> {
                json.put("type", "integer");
                json.put("minimum", least);
                json.put("maximum", most);
            }
            case Kind.Time _ -> {
                json.put("type", "string");
                json.put("pattern", "^(?:" + PlanFields.DURATION.pattern() + ")$");
            }
            case Kind.Pairs(Pattern name, Pattern value, _) -> {
                json.put("type", "object");
                json.put("propertyNames", Map.of("pattern", "^(?:" + name.pattern() + ")$"));
                json.put(
                        "additionalProperties",
                        Map.of(
                                "type",
                                List.of("string", "integer", "boolean"),
                                "pattern",
                                "^(?:" + value.pattern() + ")$"));
            }
            case Kind.Choice(List<String> choices) -> json.put("enum", choices);
            case Kind.ListOf(Kind item, int least, int most) -> {
                json.put("type", "array");
                json.put("items", of(item));
                json.put("minItems", least);
                if (most < Integer.MAX_VALUE) {
                    json.put("maxItems", most);
                    json.put("uniqueItems", true);
                }
            }
            case Kind.Mapping mapping -> {
                json.put("type", "object");
                Map<String, Object> properties = new LinkedHashMap<>();
                mapping.fields().forEach(field -> properties.put(field.name(), of(field)));
                json.put("properties", properties);
                json.put(
                        "required",
                        mapping.fields().stream()
                                .filter(PlanField::required)
                                .map(PlanField::name)
                                .toList());
                json.put("additionalProperties", false);
                if (!mapping.oneOf().isEmpty()) {
                    json.put(
                            "oneOf",
                            mapping.oneOf().stream()
                                    .map(name -> Map.of("required", List.of(name)))
                                    .toList());
                }
            }
            case Kind.Either(List<Kind> kinds) ->
                    json.put("anyOf", kinds.stream().map(PlanSchema::of).toList());
        }
        return json;
    }

    private static Map<String, Object> of(PlanField field) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("description", PlanExample.sentences(field));
        json.putAll(of(field.kind()));
        field.defaultValue().ifPresent(value -> json.put("default", typed(field.kind(), value)));
        return json;
    }

    private static Object typed(Kind kind, String written) {
        return switch (kind) {
            case Kind.Flag() -> Boolean.valueOf(written);
            case Kind.Whole _ -> Long.valueOf(written);
            default -> written;
        };
    }
}
