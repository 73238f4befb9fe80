package dev.tandem.install;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The install-config as everybody in the cluster may read it: counts and networks, but no password,
 * no BMC and no credential inside an address.
 */
final class PublicConfig {
    private PublicConfig() {}

    static Map<String, Object> of(InstallConfig config) {
        Map<String, Object> open = mapping(config.extras().file());
        Object oldArbiter = open.remove("arbiterNode");
        if (oldArbiter != null) {
            open.putIfAbsent("arbiter", oldArbiter);
        }
        return open;
    }

    private static Map<String, Object> mapping(Located.Mapping mapping) {
        Map<String, Object> open = new LinkedHashMap<>();
        for (Located.Entry entry : mapping.entries()) {
            String key = entry.key();
            boolean credentials = key.equalsIgnoreCase("fencing") || key.equalsIgnoreCase("bmc");
            if (!credentials && !Redaction.isSecretKey(key)) {
                open.put(key, value(entry.value()));
            }
        }
        return open;
    }

    private static Object value(Located located) {
        return switch (located) {
            case Located.Mapping mapping -> mapping(mapping);
            case Located.Sequence sequence -> {
                List<Object> items = sequence.items().stream().map(PublicConfig::value).toList();
                yield items;
            }
            case Located.Scalar scalar ->
                    scalar.data() instanceof String text
                            ? text.replaceAll("://[^/\\s@]*@", "://")
                            : scalar.data();
        };
    }
}
