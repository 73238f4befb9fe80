package dev.tandem.install.openshift;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Optional;

/** Which features are switched on beyond the release's own choice. */
public record FeatureGate(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {

    public FeatureGate(ObjectMeta metadata, Spec spec) {
        this("config.openshift.io/v1", "FeatureGate", metadata, spec);
    }

    public record Spec(Optional<String> featureSet, Optional<Gates> customNoUpgrade) {}

    public record Gates(List<String> enabled, List<String> disabled) {
        public Gates {
            enabled = List.copyOf(enabled);
            disabled = List.copyOf(disabled);
        }
    }
}
