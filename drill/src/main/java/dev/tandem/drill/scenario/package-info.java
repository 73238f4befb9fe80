/** The incidents that are rehearsed. */
@NullMarked
package dev.tandem.drill.scenario;

import org.jspecify.annotations.NullMarked;
