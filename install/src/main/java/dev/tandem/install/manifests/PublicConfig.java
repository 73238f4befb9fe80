package dev.tandem.install.manifests;

import dev.tandem.host.yaml.YamlNode;
import dev.tandem.install.check.Redaction;
import dev.tandem.install.check.Schema;
import dev.tandem.install.check.Schemas;
import dev.tandem.install.config.InstallConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The install-config as everybody in the cluster may read it: counts and networks, but no password,
 * no BMC and no credential inside an address. Only known keys are carried over: an unknown one may
 * be a password's key with a letter missing.
 */
final class PublicConfig {
    private static final Set<String> CREDENTIALS = Set.of("fencing", "bmc");

    private PublicConfig() {}

    static Map<String, Object> of(InstallConfig config) {
        Map<String, Object> open = known(Schemas.INSTALL_CONFIG, config.extras().file());
        Object oldArbiter = open.remove("arbiterNode");
        if (oldArbiter != null) {
            open.putIfAbsent("arbiter", oldArbiter);
        }
        return open;
    }

    private static Map<String, Object> known(Schema.Keys keys, YamlNode.Mapping mapping) {
        Map<String, Object> open = new LinkedHashMap<>();
        for (Schema.Field field : keys.fields()) {
            boolean secret = field.schema() instanceof Schema.Text text && text.secret();
            if (!secret && !CREDENTIALS.contains(field.name())) {
                mapping.find(field.name())
                        .ifPresent(entry ->
                                open.put(field.name(), value(field.schema(), entry.value())));
            }
        }
        return open;
    }

    private static Object value(Schema schema, YamlNode located) {
        return switch (located) {
            case YamlNode.Mapping mapping when schema instanceof Schema.Keys keys ->
                    known(keys, mapping);
            case YamlNode.Mapping mapping -> foreign(mapping);
            case YamlNode.Sequence sequence -> {
                Schema item = schema instanceof Schema.ListOf list ? list.item() : schema;
                List<Object> items =
                        sequence.items().stream().map(element -> value(item, element)).toList();
                yield items;
            }
            case YamlNode.Scalar scalar ->
                    scalar.data() instanceof String text
                            ? text.replaceAll("://[^/\\s@]*@", "://")
                            : scalar.data();
        };
    }

    private static Map<String, Object> foreign(YamlNode.Mapping mapping) {
        Map<String, Object> open = new LinkedHashMap<>();
        for (YamlNode.Entry entry : mapping.entries()) {
            if (!Redaction.isSecretKey(entry.key())) {
                open.put(entry.key(), value(new Schema.Anything(), entry.value()));
            }
        }
        return open;
    }
}
