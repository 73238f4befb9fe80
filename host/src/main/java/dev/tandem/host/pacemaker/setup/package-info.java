/** Makes a cluster of two nodes and keeps it as planned. */
@NullMarked
package dev.tandem.host.pacemaker.setup;

import org.jspecify.annotations.NullMarked;
