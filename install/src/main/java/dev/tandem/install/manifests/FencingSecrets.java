package dev.tandem.install.manifests;

import dev.tandem.install.config.FencingCredential;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How each node is fenced, one Secret a node. */
final class FencingSecrets {
    private FencingSecrets() {}

    static List<Manifest> of(ManifestInput input) {
        List<Manifest> files = new ArrayList<>();
        if (input.shape().isFencedPair()) {
            for (FencingCredential credential : FencingCredential.of(input.config())) {
                files.add(secret(credential, files.size()));
            }
        }
        return files;
    }

    private static Manifest secret(FencingCredential credential, int index) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("address", credential.address().toString());
        values.put("username", credential.username());
        values.put("password", credential.password().reveal());
        values.put("certificateVerification", verification(credential));
        return Manifest.secret(
                "openshift/99_openshift-etcd_fencing-credentials-secrets-%d.yaml".formatted(index),
                OpaqueSecret.of(
                        new ObjectMetaBuilder()
                                .withName(credential.secretName())
                                .withNamespace(Namespaces.ETCD)
                                .addToAnnotations(
                                        "openshift.io/fencing-credentials",
                                        credential.identifierKind())
                                .build(),
                        values));
    }

    static String verification(FencingCredential credential) {
        return credential.verifyCertificate() ? "Enabled" : "Disabled";
    }
}
