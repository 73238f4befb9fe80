package dev.tandem.agentapi;

/** How far the Kubernetes API has been told what became of the peer. */
public enum KubernetesState {
    /** Neither node is marked as out of service. */
    IN_SERVICE,
    /** The peer is marked, its leases are free, its pods are not ready. */
    PEER_OUT_OF_SERVICE,
    /** It has yet to be told. */
    WAITS_FOR_API,
    /** A node is back, and its mark goes when its kubelet says Ready. */
    WAITS_FOR_KUBELET
}
