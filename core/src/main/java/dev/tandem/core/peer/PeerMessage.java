package dev.tandem.core.peer;

import dev.tandem.core.BootId;

/**
 * What one node says to the other, as a question or as the reply to one. Facts are told to one boot
 * of the listener: whoever tells them knows which boot he gives standing to, and holds no receipt
 * about it from before.
 */
public sealed interface PeerMessage {
    /** The speaker does not know the listener's boot. */
    record Hello(BootId boot) implements PeerMessage {}

    record Facts(NodeFacts facts, BootId to) implements PeerMessage {}

    default BootId boot() {
        return switch (this) {
            case Hello(BootId boot) -> boot;
            case Facts(NodeFacts facts, BootId _) -> facts.boot();
        };
    }
}
