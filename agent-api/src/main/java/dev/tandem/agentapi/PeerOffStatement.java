package dev.tandem.agentapi;

import dev.tandem.core.decision.PowerReading;

/**
 * What was stated of the peer, or would be.
 *
 * @param bmc what the BMC of the peer reads
 * @param taken false for a dry run, and where it is not needed
 * @param notNeeded nothing waits for it: the node serves alone, and the peer is proven to be off
 */
public record PeerOffStatement(
        int version,
        String node,
        String incident,
        PowerReading bmc,
        boolean acceptLoss,
        boolean taken,
        boolean notNeeded) {
    public PeerOffStatement {
        version = version == 0 ? AgentMessages.VERSION : version;
        bmc = bmc == null ? PowerReading.UNKNOWN : bmc;
    }

    public PeerOffStatement(
            String node, String incident, PowerReading bmc, boolean acceptLoss, boolean taken) {
        this(AgentMessages.VERSION, node, incident, bmc, acceptLoss, taken, false);
    }

    /** The answer to one that nothing waits for. */
    public static PeerOffStatement notNeeded(
            String node, String incident, PowerReading bmc, boolean acceptLoss) {
        return new PeerOffStatement(
                AgentMessages.VERSION, node, incident, bmc, acceptLoss, false, true);
    }
}
