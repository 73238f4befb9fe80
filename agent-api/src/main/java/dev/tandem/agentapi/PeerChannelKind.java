package dev.tandem.agentapi;

/** How the two agents exchange messages. */
public enum PeerChannelKind {
    HTTPS("https"),
    CLUSTER_ATTRIBUTES("cluster attributes"),
    NONE("nothing");

    private final String words;

    PeerChannelKind(String words) {
        this.words = words;
    }

    /** As people read it. */
    @Override
    public String toString() {
        return words;
    }
}
