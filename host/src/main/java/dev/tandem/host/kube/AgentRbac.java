package dev.tandem.host.kube;

import dev.tandem.host.NodePaths;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/** The agent as a user of the API. */
public final class AgentRbac {
    /** The common name in the agent's client certificate. */
    public static final String USER = "tandem-agent";

    /** Where the node keeps how the agent reaches the API. */
    public static final Path KUBECONFIG = NodePaths.KUBERNETES.resolve("tandem-agent.conf");

    private AgentRbac() {}

    /** The objects that give {@link #USER} its permissions, and no more; YAML. */
    public static String manifest() {
        try (InputStream in = AgentRbac.class.getResourceAsStream("rights.yaml")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
