package dev.tandem.core.decision;

/** What etcd does on a node, by that node's own probe. */
public enum Server {
    STOPPED,
    /** The process lives and does not answer. */
    HUNG,
    /** Answers, and knows no leader. */
    LEADERLESS,
    FOLLOWING,
    LEADING;

    public boolean serves() {
        return this == FOLLOWING || this == LEADING;
    }
}
