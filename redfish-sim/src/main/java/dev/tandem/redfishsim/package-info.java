/** A virtual Redfish BMC whose power button is real, with the bad habits of real ones. */
@NullMarked
package dev.tandem.redfishsim;

import org.jspecify.annotations.NullMarked;
