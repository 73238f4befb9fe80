package dev.tandem.install.manifests;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;

/** What an object is called, to begin with. */
final class Metadata {
    private Metadata() {}

    static ObjectMeta named(String name) {
        return new ObjectMetaBuilder().withName(name).build();
    }

    static ObjectMeta named(String namespace, String name) {
        return new ObjectMetaBuilder().withName(name).withNamespace(namespace).build();
    }
}
