/** A node's BMC: its power button, its identity, and the fence agent in front of it. */
@NullMarked
package dev.tandem.host.bmc;

import org.jspecify.annotations.NullMarked;
