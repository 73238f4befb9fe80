/** Agents that are killed while something else happens to their pair. */
@NullMarked
package dev.tandem.drill.agents;

import org.jspecify.annotations.NullMarked;
