/** Whether a BMC is the one it should be, and may do what it will be asked for. */
@NullMarked
package dev.tandem.host.bmc.check;

import org.jspecify.annotations.NullMarked;
