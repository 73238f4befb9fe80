/** The process that holds a lab: nodes, networks, BMCs, faults. */
@NullMarked
package dev.tandem.lab.daemon;

import org.jspecify.annotations.NullMarked;
