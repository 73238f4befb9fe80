package dev.tandem.agent.kube;

import dev.tandem.agentapi.KubernetesState;
import dev.tandem.core.supervise.FenceKnowledge.PeerFate;

/**
 * How far the API has been told what became of the peer.
 *
 * @param sinceNanos since when, by the monotonic clock
 * @param why what the API said, or why it could not be asked; empty where there is nothing to say
 */
public record NotifierStatus(KubernetesState state, PeerFate peer, long sinceNanos, String why) {

    /** For people, without the end of a sentence. */
    public String words(String peerName) {
        String text =
                switch (state) {
                    case IN_SERVICE -> "no node is marked as off";
                    case PEER_OUT_OF_SERVICE ->
                            peerName + " is out of service: its leases are free, its pods may move";
                    case WAITS_FOR_API ->
                            "the API has yet to be told that %s is %s"
                                    .formatted(
                                            peerName,
                                            peer instanceof PeerFate.Off ? "off" : "back");
                    case WAITS_FOR_KUBELET ->
                            "a node is back, and stays out of service until its kubelet is Ready";
                };
        return why.isEmpty() ? text : text + " (" + why + ")";
    }
}
