package dev.tandem.core.decision;

import dev.tandem.core.BootId;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Replica;

/**
 * The situation a person is asked about. It changes when either node boots, when the peer is heard
 * from or the epoch changes, and a statement made for another situation is then void.
 *
 * @param peerBoot the boot of the peer that was last heard in this boot, "unheard" where there is
 *     none
 */
public record Incident(BootId boot, String peerBoot, long epoch) {

    public static Incident of(NodeFacts mine, PeerView peer) {
        return new Incident(
                mine.boot(),
                switch (peer) {
                    case PeerView.Unknown() -> "unheard";
                    case PeerView.BootKnown(BootId boot) -> boot.value();
                    case PeerView.FactsKnown(NodeFacts facts) -> facts.boot().value();
                },
                mine.replica() instanceof Replica.Intact log
                        ? log.lineage().current().number()
                        : 0);
    }

    /**
     * Eight characters a person can type. They guard against old statements, not against attackers.
     */
    public String code() {
        long hash = 0xcbf29ce484222325L;
        String text = boot.value() + '/' + peerBoot + '/' + epoch;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return "%08x".formatted((int) (hash ^ (hash >>> 32)));
    }
}
