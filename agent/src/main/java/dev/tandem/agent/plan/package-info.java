/** The plan on the disk, the plan in use, and the way from one to the other. */
@NullMarked
package dev.tandem.agent.plan;

import org.jspecify.annotations.NullMarked;
