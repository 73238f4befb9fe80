package dev.tandem.agent.status;

import java.util.function.BooleanSupplier;

/**
 * What other parts of the agent have found, for the status alone: neither the supervisor nor
 * Pacemaker knows it.
 *
 * @param quorumKeptByOne whether this node would stay quorate without its peer
 */
public record Findings(BooleanSupplier quorumKeptByOne) {}
