/** The fence agent: what Pacemaker asks of a BMC. */
@NullMarked
package dev.tandem.host.bmc.fence;

import org.jspecify.annotations.NullMarked;
