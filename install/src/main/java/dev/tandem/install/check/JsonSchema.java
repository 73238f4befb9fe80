package dev.tandem.install.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The install-config's keys as JSON Schema, for editors that complete and underline. */
public final class JsonSchema {
    private JsonSchema() {}

    /** Plain maps, ready for any JSON writer. */
    public static Map<String, Object> ofInstallConfig() {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", "install-config of a two-node or 2 + 1 cluster");
        schema.putAll(of(Schemas.INSTALL_CONFIG));
        return schema;
    }

    private static Map<String, Object> of(Schema schema) {
        Map<String, Object> json = new LinkedHashMap<>();
        switch (schema) {
            case Schema.Anything _ -> {}
            case Schema.Flag _ -> json.put("type", "boolean");
            case Schema.Whole(int minimum) -> {
                json.put("type", "integer");
                json.put("minimum", minimum);
            }
            case Schema.Text(List<String> allowed, boolean secret) -> {
                json.put("type", "string");
                if (!allowed.isEmpty()) {
                    json.put("enum", allowed);
                }
                if (secret) {
                    json.put("writeOnly", true);
                }
            }
            case Schema.ListOf(Schema item) -> {
                json.put("type", "array");
                json.put("items", of(item));
            }
            case Schema.Keys keys -> {
                // An empty value after a key, as in "none:", is an empty mapping to every reader.
                json.put("type", List.of("object", "null"));
                Map<String, Object> properties = new LinkedHashMap<>();
                List<String> required = new ArrayList<>();
                for (Schema.Field field : keys.fields()) {
                    Map<String, Object> property = new LinkedHashMap<>();
                    property.put("description", field.about());
                    property.putAll(of(field.schema()));
                    properties.put(field.name(), property);
                    if (field.required()) {
                        required.add(field.name());
                    }
                }
                json.put("properties", properties);
                if (!required.isEmpty()) {
                    json.put("required", required);
                }
                json.put("additionalProperties", false);
            }
        }
        return json;
    }
}
