/** The plan of a pair: its file, its reader, and what of it stands on a node. */
@NullMarked
package dev.tandem.host.plan;

import org.jspecify.annotations.NullMarked;
