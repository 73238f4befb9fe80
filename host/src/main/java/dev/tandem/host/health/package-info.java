/** Judges what Pacemaker and the BMCs say about the next failure. */
@NullMarked
package dev.tandem.host.health;

import org.jspecify.annotations.NullMarked;
