package dev.tandem.agentapi;

/** Whether a BMC controls the node that it is configured for. */
public enum BmcIdentity {
    SAME,
    DIFFERENT,
    /** Not compared yet, or there is nothing that could be compared. */
    UNKNOWN
}
