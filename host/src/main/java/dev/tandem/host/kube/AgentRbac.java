package dev.tandem.host.kube;

import dev.tandem.host.NodePaths;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodeNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The agent as a user of the API. */
public final class AgentRbac {
    /** The common name in the agent's client certificate. */
    public static final String USER = "tandem-agent";

    /** Where the node keeps how the agent reaches the API. */
    public static final Path KUBECONFIG = NodePaths.KUBERNETES.resolve("tandem-agent.conf");

    private AgentRbac() {}

    /**
     * The objects that give {@link #USER} its permissions on the nodes of a plan, and no more;
     * YAML.
     */
    public static String manifest(ClusterPlan plan) {
        return manifest(plan.nodes().stream().map(ClusterPlan.Node::name).toList());
    }

    /** The same for nodes of these names. */
    public static String manifest(List<String> nodes) {
        try (InputStream in = AgentRbac.class.getResourceAsStream("agent-roles.yaml")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .replace("@NAMES@", quoted(nodes.stream()))
                    .replace("@LEASES@", quoted(nodes.stream().map(AgentRbac::lease)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The lease that the agent of a node writes to find out whether the API server writes. */
    public static String lease(String node) {
        return "tandem-agent-" + node;
    }

    /** In quotes, for YAML and for CEL alike: a name of digits is a text as well. */
    private static String quoted(Stream<String> names) {
        return names.map(name -> "'" + NodeNames.checked(name) + "'")
                .collect(Collectors.joining(", "));
    }
}
