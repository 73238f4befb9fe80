/** What every contact with this node shares: running programs within a limit. */
@NullMarked
package dev.tandem.host;

import org.jspecify.annotations.NullMarked;
