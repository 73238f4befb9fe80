package dev.tandem.core.decision;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.peer.Abdication;
import java.time.Instant;

/**
 * Why the peer cannot take over while this node does. Which of them counts, and when, is decided in
 * {@link StartDecision}: a proof object says what was seen and is not yet permission, and a timeout
 * is not even that. The times are for people to read; no decision looks at them.
 */
public sealed interface PeerProof {

    /**
     * A fence action ended.
     *
     * @param peerBoot the peer's boot as it was known when the action was ordered
     * @param observed the power state read back afterwards; an accepted order is not an observation
     */
    record Fenced(
            NodeName target, BootId peerBoot, String method, PowerReading observed, Instant time)
            implements PeerProof {}

    /** The peer gave up its right: its facts carry the abdication, and it was not released. */
    record Yielded(Abdication abdication) implements PeerProof {
        public Yielded {
            if (abdication instanceof Abdication.None) {
                throw new IllegalArgumentException("nothing was given up");
            }
        }
    }

    /** What a person can state. */
    enum Statement {
        /** "The peer is switched off, I saw it." */
        PEER_IS_OFF,
        /** "The peer is switched off, and what it may have written alone is given up." */
        PEER_IS_OFF_LOSS_ACCEPTED,
        /** "Of two diverged histories the peer's is kept; set this node's aside." */
        KEEP_PEERS_HISTORY
    }

    /**
     * A person's word.
     *
     * @param bmc what the peer's BMC reads at the time of the decision. A person can look at the
     *     wrong machine: a BMC that reads On outweighs the statement
     */
    record Stated(
            Statement statement,
            NodeName about,
            Incident incident,
            PowerReading bmc,
            String person,
            Instant time)
            implements PeerProof {}

    /** The BMC reads Off, and the peer stays off until this node lets it be switched on. */
    record HeldOff(NodeName target, PowerReading observed, Instant time) implements PeerProof {}
}
