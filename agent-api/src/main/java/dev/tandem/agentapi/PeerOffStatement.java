package dev.tandem.agentapi;

import dev.tandem.core.decision.PowerReading;

/**
 * What was stated of the peer, or would be.
 *
 * @param bmc what the BMC of the peer reads
 * @param taken false for a dry run
 */
public record PeerOffStatement(
        int version,
        String node,
        String incident,
        PowerReading bmc,
        boolean acceptLoss,
        boolean taken) {
    public PeerOffStatement {
        version = version == 0 ? AgentMessages.VERSION : version;
        bmc = bmc == null ? PowerReading.UNKNOWN : bmc;
    }

    public PeerOffStatement(
            String node, String incident, PowerReading bmc, boolean acceptLoss, boolean taken) {
        this(AgentMessages.VERSION, node, incident, bmc, acceptLoss, taken);
    }
}
