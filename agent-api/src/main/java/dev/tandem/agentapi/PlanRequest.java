package dev.tandem.agentapi;

/**
 * The agents shall run by the plan that was written to the disk of this node. A plan holds no
 * secrets.
 *
 * @param plan as a node keeps it; it says which plan is meant, and the disk must have the same
 * @param dryRun only asks what would follow; the disk may have another plan then
 */
public record PlanRequest(int version, String plan, String person, boolean dryRun) {}
