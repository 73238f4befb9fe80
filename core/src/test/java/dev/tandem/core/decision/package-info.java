/**
 * The table of decisions, the laws over it, and the model checker that runs the decisions against
 * faults.
 */
@NullMarked
package dev.tandem.core.decision;

import org.jspecify.annotations.NullMarked;
