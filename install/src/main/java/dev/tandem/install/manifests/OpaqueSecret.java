package dev.tandem.install.manifests;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** A Secret of plain texts. */
final class OpaqueSecret {
    private OpaqueSecret() {}

    static Secret of(ObjectMeta metadata, Map<String, String> texts) {
        Map<String, String> data = new LinkedHashMap<>();
        texts.forEach((key, text) -> data.put(key, base64(text)));
        return new SecretBuilder().withMetadata(metadata).withType("Opaque").withData(data).build();
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
