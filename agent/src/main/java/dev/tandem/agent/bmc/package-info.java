/** Watches the BMCs of both nodes. */
@NullMarked
package dev.tandem.agent.bmc;

import org.jspecify.annotations.NullMarked;
