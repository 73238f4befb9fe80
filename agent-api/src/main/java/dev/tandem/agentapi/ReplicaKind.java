package dev.tandem.agentapi;

/** Whether a node has a readable replica. */
public enum ReplicaKind {
    INTACT,
    NO_REPLICA,
    DAMAGED,
    /** Never written: what a reader makes of a state that it does not know. */
    UNKNOWN
}
