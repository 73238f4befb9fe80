@NullMarked
package dev.tandem.drill;

import org.jspecify.annotations.NullMarked;
