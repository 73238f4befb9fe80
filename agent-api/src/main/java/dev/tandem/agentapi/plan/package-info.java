/** What becomes of a changed plan in the agents. */
@NullMarked
package dev.tandem.agentapi.plan;

import org.jspecify.annotations.NullMarked;
