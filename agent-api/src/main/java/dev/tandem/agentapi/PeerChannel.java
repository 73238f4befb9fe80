package dev.tandem.agentapi;

/** How the agent of the peer is reached. */
public enum PeerChannel {
    HTTPS("https"),
    ATTRIBUTES("cluster attributes"),
    NOTHING("nothing");

    private final String words;

    PeerChannel(String words) {
        this.words = words;
    }

    /** As people read it. */
    @Override
    public String toString() {
        return words;
    }
}
