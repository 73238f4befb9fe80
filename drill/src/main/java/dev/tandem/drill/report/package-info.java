/** The outcome of a drill, for a terminal and a browser. */
@NullMarked
package dev.tandem.drill.report;

import org.jspecify.annotations.NullMarked;
