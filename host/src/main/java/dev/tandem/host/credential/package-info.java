/** Where passwords of BMCs come from, and how a node keeps one that came from elsewhere. */
@NullMarked
package dev.tandem.host.credential;

import org.jspecify.annotations.NullMarked;
