package dev.tandem.agentapi;

import dev.tandem.core.decision.Health;

/** What the agent of a node says of its etcd. */
public enum NodeHealth {
    /** Serves, and so does the peer. */
    REDUNDANT,
    /** Serves alone: the next failure of this node is an outage. */
    ALONE,
    /** Learns from the peer and cannot take over. */
    LEARNING,
    /** The agent is refused by its own etcd and cannot tell. */
    UNSEEN,
    DOWN,
    /** The agent is busy with an action, and whether etcd serves is not known. */
    BUSY,
    /** Never written: what a reader makes of a health that it does not know. */
    UNKNOWN;

    public static NodeHealth of(Health health) {
        return switch (health) {
            case REDUNDANT -> REDUNDANT;
            case ALONE -> ALONE;
            case LEARNING -> LEARNING;
            case UNSEEN -> UNSEEN;
            case DOWN -> DOWN;
        };
    }
}
