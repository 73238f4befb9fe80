/** Incidents rehearsed on the nodes of a lab, each with its audit, and the report about them. */
@NullMarked
package dev.tandem.drill;

import org.jspecify.annotations.NullMarked;
