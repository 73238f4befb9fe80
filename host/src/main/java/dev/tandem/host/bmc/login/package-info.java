/** When a login at a BMC may be tried, and which sessions outlive the program. */
@NullMarked
package dev.tandem.host.bmc.login;

import org.jspecify.annotations.NullMarked;
