/** Measures recoveries. */
@NullMarked
package dev.tandem.drill.bench;

import org.jspecify.annotations.NullMarked;
