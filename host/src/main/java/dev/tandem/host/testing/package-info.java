/** This machine as tests need it: its ports and its programs, however busy it is. */
@NullMarked
package dev.tandem.host.testing;

import org.jspecify.annotations.NullMarked;
