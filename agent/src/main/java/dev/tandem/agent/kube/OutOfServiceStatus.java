package dev.tandem.agent.kube;

import dev.tandem.agentapi.KubernetesState;
import dev.tandem.core.supervise.KubernetesReport.PeerState;

/**
 * How far the API has been told what became of the peer.
 *
 * @param sinceNanos since when, by the monotonic clock
 * @param why what the API said, or why it could not be asked; empty where there is nothing to say
 */
public record OutOfServiceStatus(
        KubernetesState state, PeerState peer, long sinceNanos, String why) {

    /** For people, without the end of a sentence. */
    public String words(String peerName) {
        boolean off = peer instanceof PeerState.Off;
        // Nobody has to be told that a node is there which was never marked as off.
        if (state == KubernetesState.WAITS_FOR_API
                && !off
                && why.equals(OutOfServiceNotifier.DOES_NOT_ANSWER)) {
            return "this node's API server does not answer yet";
        }
        String text =
                switch (state) {
                    case IN_SERVICE -> "both nodes in service";
                    case PEER_OUT_OF_SERVICE ->
                            peerName
                                    + " is tainted out-of-service: its leases are released, its"
                                    + " pods can move";
                    case WAITS_FOR_API ->
                            "the Kubernetes API is still to be updated: "
                                    + (off ? peerName + " is off" : "both nodes are in service");
                    case WAITS_FOR_KUBELET ->
                            "a node is back, and stays out of service until its kubelet is Ready";
                };
        return why.isEmpty() ? text : text + " (" + why + ")";
    }
}
