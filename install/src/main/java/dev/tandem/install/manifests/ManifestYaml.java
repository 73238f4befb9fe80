package dev.tandem.install.manifests;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.tandem.host.yaml.YamlWriter;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.RoleRef;

/**
 * Writes typed objects as YAML. What identifies an object comes first, as people write it; the
 * Kubernetes model alone would write the keys by the alphabet.
 */
final class ManifestYaml {
    private static final ObjectMapper MAPPER =
            JsonMapper.builder()
                    .addModule(new Jdk8Module())
                    .addMixIn(ObjectMeta.class, NameFirst.class)
                    .addMixIn(Secret.class, TypeBeforeData.class)
                    .addMixIn(PolicyRule.class, NamesLast.class)
                    .addMixIn(RoleRef.class, GroupFirst.class)
                    .addMixIn(dev.tandem.install.yaml.Secret.class, Revealed.class)
                    .defaultPropertyInclusion(
                            JsonInclude.Value.construct(
                                    JsonInclude.Include.NON_ABSENT, JsonInclude.Include.ALWAYS))
                    .build();

    private ManifestYaml() {}

    @JsonPropertyOrder({"name", "namespace", "labels", "annotations"})
    private interface NameFirst {}

    @JsonPropertyOrder({"apiVersion", "kind", "metadata", "type", "data"})
    private interface TypeBeforeData {}

    @JsonPropertyOrder({"apiGroups", "resources", "verbs", "resourceNames"})
    private interface NamesLast {}

    @JsonPropertyOrder({"apiGroup", "kind", "name"})
    private interface GroupFirst {}

    /** A password is written out only here, where its file is made. */
    private interface Revealed {
        @JsonValue
        String reveal();
    }

    static String write(Object object) {
        JsonNode tree = MAPPER.valueToTree(object);
        return YamlWriter.write(tree);
    }
}
