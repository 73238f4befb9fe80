/** A lab made a pair, and clients that write to it. */
@NullMarked
package dev.tandem.lab.pair;

import org.jspecify.annotations.NullMarked;
