/** Pacemaker's configuration as values: what it is, what it should be, and the difference. */
@NullMarked
package dev.tandem.host.pacemaker.cib;

import org.jspecify.annotations.NullMarked;
