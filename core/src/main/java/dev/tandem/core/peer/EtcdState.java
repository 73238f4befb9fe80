package dev.tandem.core.peer;

/** What etcd does on a node, by that node's own probe. */
public enum EtcdState {
    STOPPED,
    /** The process lives and does not answer. */
    HUNG,
    /**
     * The process lives and refuses its own agent: what it does is not known. It may serve
     * everybody else, so nothing is done to it, and nothing concluded from it.
     */
    UNSEEN,
    /** Answers, and knows no leader. */
    LEADERLESS,
    FOLLOWING,
    LEADING;

    /** Not known to be down. */
    public boolean mayServe() {
        return serves() || this == UNSEEN;
    }

    public boolean serves() {
        return this == FOLLOWING || this == LEADING;
    }
}
