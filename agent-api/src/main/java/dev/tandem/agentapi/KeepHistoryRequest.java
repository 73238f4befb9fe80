package dev.tandem.agentapi;

/**
 * A person keeps the peer's history of two, and gives up what only this node holds.
 *
 * @param node the peer
 * @param incident the situation that was looked at; empty for the present one
 * @param dryRun only asks what it would mean
 */
public record KeepHistoryRequest(
        int version, String node, String incident, String person, boolean dryRun) {
    public KeepHistoryRequest(String node, String incident, String person, boolean dryRun) {
        this(AgentMessages.VERSION, node, incident, person, dryRun);
    }
}
