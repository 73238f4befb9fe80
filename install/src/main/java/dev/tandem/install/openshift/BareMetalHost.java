package dev.tandem.install.openshift;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.SecretReference;
import java.util.Optional;

/** A machine with a BMC, as the bare-metal operator knows it. */
public record BareMetalHost(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {

    public BareMetalHost(ObjectMeta metadata, Spec spec) {
        this("metal3.io/v1alpha1", "BareMetalHost", metadata, spec);
    }

    /**
     * How it is reached, installed and used.
     *
     * @param rootDeviceHints handed on as the install-config has them
     */
    public record Spec(
            boolean online,
            Optional<Boolean> externallyProvisioned,
            Optional<Bmc> bmc,
            @JsonProperty("bootMACAddress") Optional<String> bootMacAddress,
            Optional<String> bootMode,
            Optional<Object> rootDeviceHints,
            Optional<String> preprovisioningNetworkDataName,
            CustomDeploy customDeploy,
            Optional<ObjectReference> consumerRef,
            SecretReference userData) {}

    public record Bmc(
            String address, String credentialsName, boolean disableCertificateVerification) {}

    public record CustomDeploy(String method) {
        /** The machine writes CoreOS onto its disk itself. */
        public static final CustomDeploy COREOS = new CustomDeploy("install_coreos");
    }
}
