/** What the two nodes tell each other, and what each makes of it. */
@NullMarked
package dev.tandem.core.peer;

import org.jspecify.annotations.NullMarked;
