package dev.tandem.install.openshift;

import dev.tandem.install.openshift.BareMetalHost.CustomDeploy;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Map;

/** The node's side of a bare-metal host. */
public record Machine(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {
    public static final String API_VERSION = "machine.openshift.io/v1beta1";
    public static final String KIND = "Machine";

    public Machine(ObjectMeta metadata, BareMetalProviderSpec provider) {
        this(API_VERSION, KIND, metadata, new Spec(new ProviderSpec(provider)));
    }

    public record Spec(ProviderSpec providerSpec) {}

    public record ProviderSpec(BareMetalProviderSpec value) {}

    public record BareMetalProviderSpec(
            String apiVersion,
            String kind,
            CustomDeploy customDeploy,
            Map<String, String> hostSelector,
            Image image,
            LocalObjectReference userData) {
        public BareMetalProviderSpec {
            hostSelector = Map.copyOf(hostSelector);
        }

        /** Any host will do, and it needs no image. */
        public BareMetalProviderSpec(LocalObjectReference userData) {
            this(
                    "baremetal.cluster.k8s.io/v1alpha1",
                    "BareMetalMachineProviderSpec",
                    CustomDeploy.COREOS,
                    Map.of(),
                    new Image("", ""),
                    userData);
        }
    }

    public record Image(String checksum, String url) {}
}
