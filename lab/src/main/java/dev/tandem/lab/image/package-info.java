/** The root file system of the nodes, and what the host needs to make it. */
@NullMarked
package dev.tandem.lab.image;

import org.jspecify.annotations.NullMarked;
