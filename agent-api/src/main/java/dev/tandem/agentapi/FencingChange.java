package dev.tandem.agentapi;

import java.util.List;

/**
 * What became of a change of a BMC's settings, or would.
 *
 * @param node whose BMC it is
 * @param second whether it is the second of that node
 * @param changed which of the settings are others now; none where they were so before
 * @param taken false for a dry run
 * @param checked what the BMC proved to this node
 * @param peer what the other node has to do with it
 * @param peerChecked what the BMC proved to the other node; empty where that could not be asked
 */
public record FencingChange(
        int version,
        String node,
        boolean second,
        List<Setting> changed,
        boolean taken,
        String checked,
        Peer peer,
        String peerChecked) {
    /** What can be changed. */
    public enum Setting {
        ADDRESS,
        USERNAME,
        PASSWORD
    }

    /** Where the other node stands. */
    public enum Peer {
        /** It has proven that it can use them, and was told nothing. */
        CHECKED,
        /** It uses them. */
        USES_THEM,
        /** It is away, or has not taken them yet, and will be told again until it has. */
        WILL_BE_TOLD,
        /** It uses others: changed there at the same time, or never told. */
        DIFFERS,
        UNKNOWN
    }

    public FencingChange {
        version = version == 0 ? AgentMessages.VERSION : version;
        changed = changed == null ? List.of() : List.copyOf(changed);
        peer = peer == null ? Peer.UNKNOWN : peer;
    }
}
