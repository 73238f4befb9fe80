package dev.tandem.install.manifests;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.ArrayList;
import java.util.List;

/** The namespaces that the other manifests stand in. */
final class Namespaces {
    static final String ETCD = "openshift-etcd";
    static final String MACHINE_API = "openshift-machine-api";
    static final String TANDEM = "tandem-system";

    private Namespaces() {}

    static List<Manifest> of(ManifestInput input) {
        ObjectMetaBuilder etcd = new ObjectMetaBuilder().withName(ETCD);
        if (input.method().delaysBootstrap()) {
            etcd.addToAnnotations("openshift.io/delayed-bootstrap", "");
        }
        List<Manifest> files = new ArrayList<>();
        files.add(namespace(etcd.build()));
        files.add(namespace(Metadata.named(TANDEM)));
        if (input.hasMachineObjects()) {
            files.add(namespace(Metadata.named(MACHINE_API)));
        }
        return files;
    }

    private static Manifest namespace(ObjectMeta metadata) {
        return Manifest.of(
                "manifests/00_namespace-" + metadata.getName() + ".yaml",
                new NamespaceBuilder().withMetadata(metadata).build());
    }
}
