package dev.tandem.host.plan;

/**
 * One thing that is wrong with a plan.
 *
 * @param field the way to it as the reference page writes it, such as {@code nodes[].bmc.address};
 *     empty for the plan as a whole
 */
public record PlanFinding(int line, String field, String what) {}
