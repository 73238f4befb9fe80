/** Real nodes in a box, with real power buttons. */
@NullMarked
package dev.tandem.lab;

import org.jspecify.annotations.NullMarked;
