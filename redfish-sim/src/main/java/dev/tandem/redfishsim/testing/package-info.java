/** A BMC with a machine on loopback, for the tests of whatever speaks Redfish. */
@NullMarked
package dev.tandem.redfishsim.testing;

import org.jspecify.annotations.NullMarked;
