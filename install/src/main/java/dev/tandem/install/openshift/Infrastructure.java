package dev.tandem.install.openshift;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Optional;

/** Where the cluster runs and of which topology it is. */
public record Infrastructure(
        String apiVersion, String kind, ObjectMeta metadata, Spec spec, Status status) {

    public Infrastructure(ObjectMeta metadata, Spec spec, Status status) {
        this("config.openshift.io/v1", "Infrastructure", metadata, spec, status);
    }

    public record Spec(LocalObjectReference cloudConfig, PlatformSpec platformSpec) {}

    public record PlatformSpec(
            String type, Optional<BareMetalSpec> baremetal, Optional<ExternalSpec> external) {}

    public record BareMetalSpec(
            @JsonProperty("apiServerInternalIPs") List<String> apiServerInternalIps,
            @JsonProperty("ingressIPs") List<String> ingressIps,
            List<String> machineNetworks) {
        public BareMetalSpec {
            apiServerInternalIps = List.copyOf(apiServerInternalIps);
            ingressIps = List.copyOf(ingressIps);
            machineNetworks = List.copyOf(machineNetworks);
        }
    }

    public record ExternalSpec(String platformName) {}

    public record Status(
            @JsonProperty("apiServerInternalURI") String apiServerInternalUri,
            @JsonProperty("apiServerURL") String apiServerUrl,
            String controlPlaneTopology,
            String cpuPartitioning,
            String etcdDiscoveryDomain,
            String infrastructureName,
            String infrastructureTopology,
            String platform,
            PlatformStatus platformStatus) {}

    public record PlatformStatus(
            String type, Optional<BareMetalStatus> baremetal, Optional<ExternalStatus> external) {}

    public record BareMetalStatus(
            @JsonProperty("apiServerInternalIP") String apiServerInternalIp,
            @JsonProperty("apiServerInternalIPs") List<String> apiServerInternalIps,
            @JsonProperty("ingressIP") String ingressIp,
            @JsonProperty("ingressIPs") List<String> ingressIps,
            List<String> machineNetworks) {
        public BareMetalStatus {
            apiServerInternalIps = List.copyOf(apiServerInternalIps);
            ingressIps = List.copyOf(ingressIps);
            machineNetworks = List.copyOf(machineNetworks);
        }
    }

    public record ExternalStatus(CloudControllerManager cloudControllerManager) {}

    public record CloudControllerManager(String state) {}
}
