/** A BMC that speaks IPMI 2.0: OpenIPMI's simulator, at the power button of a machine of ours. */
@NullMarked
package dev.tandem.redfishsim.ipmi;

import org.jspecify.annotations.NullMarked;
