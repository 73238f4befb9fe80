/** BMCs that speak IPMI 2.0, by the program ipmitool. */
@NullMarked
package dev.tandem.host.bmc.ipmi;

import org.jspecify.annotations.NullMarked;
