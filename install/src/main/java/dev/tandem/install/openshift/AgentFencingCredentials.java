package dev.tandem.install.openshift;

import dev.tandem.install.yaml.Secret;
import java.util.List;
import java.util.Optional;

/** The file from which the agent-based installer learns how nodes are fenced. */
public record AgentFencingCredentials(List<Credential> credentials) {
    public AgentFencingCredentials {
        credentials = List.copyOf(credentials);
    }

    /** Of one node, which is named by its host name or by its card. */
    public record Credential(
            Optional<String> hostname,
            Optional<String> macaddress,
            String address,
            String username,
            Secret password,
            String certificateVerification) {}
}
