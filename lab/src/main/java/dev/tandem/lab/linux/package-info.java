/** The kernel and the programs of the host. */
@NullMarked
package dev.tandem.lab.linux;

import org.jspecify.annotations.NullMarked;
