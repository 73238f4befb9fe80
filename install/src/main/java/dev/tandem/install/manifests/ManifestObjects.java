package dev.tandem.install.manifests;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The forms that Kubernetes objects share, as ordered maps. */
public final class ManifestObjects {
    private ManifestObjects() {}

    /** Keys and values in turn, in the order they are to be written. */
    public static Map<String, Object> map(Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }

    static Map<String, Object> object(
            String apiVersion, String kind, Map<String, Object> metadata, Object... rest) {
        Map<String, Object> object = map("apiVersion", apiVersion, "kind", kind);
        object.put("metadata", metadata);
        object.putAll(map(rest));
        return object;
    }

    static Map<String, Object> named(String name) {
        return map("name", name);
    }

    static Map<String, Object> named(String namespace, String name) {
        return map("name", name, "namespace", namespace);
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    static Map<String, Object> opaqueSecret(
            Map<String, Object> metadata, Map<String, String> values) {
        Map<String, Object> data = new LinkedHashMap<>();
        values.forEach((key, value) -> data.put(key, base64(value)));
        return object("v1", "Secret", metadata, "type", "Opaque", "data", data);
    }

    static Map<String, Object> namespace(String name, Map<String, Object> annotations) {
        Map<String, Object> metadata = named(name);
        if (!annotations.isEmpty()) {
            metadata.put("annotations", annotations);
        }
        return object("v1", "Namespace", metadata);
    }

    static Map<String, Object> rule(List<String> groups, List<String> resources, String... verbs) {
        return map("apiGroups", groups, "resources", resources, "verbs", List.of(verbs));
    }
}
