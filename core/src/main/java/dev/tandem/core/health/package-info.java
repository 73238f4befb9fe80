/** Why recovery from a failure would need a person. */
@NullMarked
package dev.tandem.core.health;

import org.jspecify.annotations.NullMarked;
