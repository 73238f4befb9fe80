/** The network interfaces of this node. */
@NullMarked
package dev.tandem.host.net;

import org.jspecify.annotations.NullMarked;
