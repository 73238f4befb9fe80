package dev.tandem.agent.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A lease that somebody on the node that is off still holds. Nobody renews it, and others would
 * wait until it runs out: 15 s for Kubernetes' own controllers, up to minutes for some operators.
 *
 * @param lease as it was read, with the version that a change of it is bound to
 */
record HeldLease(JsonNode lease) {
    /** Heartbeats of kubelets: they say since when a node is silent, and nobody takes them over. */
    private static final String HEARTBEATS = "kube-node-lease";

    /**
     * The lease, where an identity of that node holds it, or of a pod on it.
     *
     * <p>An identity is a name, alone or followed by an underscore and something unique: the host's
     * for what runs on the node itself, the pod's for what runs in one. Neither name can contain an
     * underscore.
     *
     * @param pods names of the node's pods, by namespace
     */
    static Optional<HeldLease> of(JsonNode lease, String node, Map<String, Set<String>> pods) {
        String namespace = lease.at("/metadata/namespace").asText();
        String holder = lease.at("/spec/holderIdentity").asText("");
        int end = holder.indexOf('_');
        String name = end < 0 ? holder : holder.substring(0, end);
        boolean ofNode = name.equals(node);
        boolean ofPod = pods.getOrDefault(namespace, Set.of()).contains(name);
        return !namespace.equals(HEARTBEATS) && (ofNode || ofPod)
                ? Optional.of(new HeldLease(lease))
                : Optional.empty();
    }

    String name() {
        return lease.at("/metadata/namespace").asText() + "/" + lease.at("/metadata/name").asText();
    }

    String path() {
        return "/apis/coordination.k8s.io/v1/namespaces/"
                + lease.at("/metadata/namespace").asText()
                + "/leases/"
                + lease.at("/metadata/name").asText();
    }

    /** As a holder leaves it that releases it cleanly. */
    JsonNode freed() {
        ObjectNode freed = lease.deepCopy();
        ((ObjectNode) freed.path("spec")).put("holderIdentity", "").put("leaseDurationSeconds", 1);
        return freed;
    }
}
