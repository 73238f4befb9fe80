package dev.tandem.agentapi;

/**
 * A person states that the peer is off.
 *
 * @param incident the situation that was looked at; the statement counts for no other
 * @param acceptLoss what the peer may have written alone is given up
 * @param dryRun only asks whether it would be taken
 */
public record PeerOffRequest(
        int version,
        String node,
        String incident,
        String person,
        boolean acceptLoss,
        boolean dryRun) {
    public PeerOffRequest(
            String node, String incident, String person, boolean acceptLoss, boolean dryRun) {
        this(AgentMessages.VERSION, node, incident, person, acceptLoss, dryRun);
    }
}
