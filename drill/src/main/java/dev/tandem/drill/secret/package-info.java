/** Looks for passwords and tokens where none may stand. */
@NullMarked
package dev.tandem.drill.secret;

import org.jspecify.annotations.NullMarked;
