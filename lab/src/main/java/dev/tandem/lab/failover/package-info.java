/** Tandem on the nodes of a lab: set up, written to, broken, audited and measured. */
@NullMarked
package dev.tandem.lab.failover;

import org.jspecify.annotations.NullMarked;
