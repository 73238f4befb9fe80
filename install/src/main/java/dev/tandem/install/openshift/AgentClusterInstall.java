package dev.tandem.install.openshift;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Optional;

/** What the agent-based installer waits for before it begins. */
public record AgentClusterInstall(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {

    public AgentClusterInstall(ObjectMeta metadata, Spec spec) {
        this("extensions.hive.openshift.io/v1beta1", "AgentClusterInstall", metadata, spec);
    }

    public record Spec(
            ProvisionRequirements provisionRequirements,
            @JsonProperty("apiVIPs") Optional<List<String>> apiVips,
            @JsonProperty("ingressVIPs") Optional<List<String>> ingressVips) {}

    public record ProvisionRequirements(
            int arbiterAgents, int controlPlaneAgents, int workerAgents) {}
}
