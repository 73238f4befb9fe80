/** The resident daemon of a node: resource actions, recovery, fencing, local status. */
@NullMarked
package dev.tandem.agent;

import org.jspecify.annotations.NullMarked;
