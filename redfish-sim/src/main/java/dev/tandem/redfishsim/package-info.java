/** A virtual Redfish BMC whose power button is real, with the faults of real ones. */
@NullMarked
package dev.tandem.redfishsim;

import org.jspecify.annotations.NullMarked;
