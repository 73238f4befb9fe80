/** From an install-config to everything a two-node or 2 + 1 cluster needs. */
@NullMarked
package dev.tandem.install;

import org.jspecify.annotations.NullMarked;
