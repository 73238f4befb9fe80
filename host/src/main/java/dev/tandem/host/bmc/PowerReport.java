package dev.tandem.host.bmc;

/**
 * A power state, and of which machine: one answer of the BMC has both, so that no state is taken
 * for another machine's after an address was given away or a board exchanged.
 *
 * @param machine what the same answer tells of the machine; without MACs, which are elsewhere
 */
public record PowerReport(PowerState state, HardwareIdentity machine) {}
